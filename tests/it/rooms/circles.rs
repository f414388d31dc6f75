//! No two files of a room import each other, not even by way of others. Methods are not seen: what a part of
//! a room may call of another it imports as a function.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;

use super::MAY_IMPORT;
use super::source::{Imports, Name, Source};

type Graph = BTreeMap<Name, Imports>;

/// The shortest way from a module back to itself.
fn way_back<'a>(graph: &'a Graph, start: &'a Name) -> Option<Vec<&'a Name>> {
    let mut came_from: BTreeMap<&Name, &Name> = BTreeMap::new();
    let mut open = VecDeque::from([start]);
    while let Some(at) = open.pop_front() {
        for next in graph.get(at).into_iter().flat_map(Imports::keys) {
            if next == start {
                let mut way = vec![start, at];
                while let Some(before) = came_from.get(way.last().unwrap()) {
                    way.push(before);
                }
                way.reverse();
                return Some(way);
            }
            if graph.contains_key(next) && !came_from.contains_key(next) {
                came_from.insert(next, at);
                open.push_back(next);
            }
        }
    }
    None
}

/// A circle, one import a line.
fn described(source: &Source, graph: &Graph, way: &[&Name]) -> String {
    let lines = way.windows(2).map(|pair| {
        let paths: Vec<&str> = graph[pair[0]][pair[1]].iter().map(String::as_str).collect();
        format!("  {} imports {} ({})\n", source.file(pair[0]), source.file(pair[1]), paths.join(", "))
    });
    lines.collect()
}

#[test]
fn no_files_of_a_room_import_each_other_in_a_circle() {
    let source = Source::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    let mut wrong = String::new();
    let mut edges = 0;
    for (room, _) in MAY_IMPORT {
        let graph: Graph =
            source.of_room(room).into_iter().map(|name| (name.clone(), source.imports(name))).collect();
        edges += graph.values().map(BTreeMap::len).sum::<usize>();
        let ways: Vec<Vec<&Name>> = graph.keys().filter_map(|name| way_back(&graph, name)).collect();
        if let Some(shortest) = ways.iter().min_by_key(|way| way.len()) {
            let files: BTreeSet<String> = ways.iter().map(|way| source.file(way[0])).collect();
            let circle = described(&source, &graph, shortest);
            wrong.push_str(&format!("in {room} these are in a circle: {files:?}\nThe shortest:\n{circle}"));
        }
    }
    assert!(edges > 300, "only {edges} imports were found");
    assert!(wrong.is_empty(), "{wrong}");
}
