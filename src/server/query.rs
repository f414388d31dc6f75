//! The query of a request as a struct. A problem with a parameter is reported under the name of that parameter.

use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt;
use std::future::{Ready, ready};
use std::ops::Deref;

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use serde::de::value::{CowStrDeserializer, MapDeserializer};
use serde::de::{self, DeserializeOwned, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;
use url::form_urlencoded;

use super::problem::Problem;
use crate::council::field::{FieldError, FieldErrorKind};

/// The query of a request; parameters that `T` does not know are passed over.
#[derive(Debug)]
pub(super) struct Query<T>(T);

impl<T> Query<T> {
    /// What it says.
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl<T> Deref for Query<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: DeserializeOwned> FromRequest for Query<T> {
    type Error = Problem;
    type Future = Ready<Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(read(request.query_string()).map(Self).map_err(|wrong| Problem::fields(&[wrong])))
    }
}

fn read<T: DeserializeOwned>(query: &str) -> Result<T, FieldError> {
    // The name that was read last is the one whose value is wrong.
    let last = RefCell::new(Cow::Borrowed(""));
    let parts = form_urlencoded::parse(query.as_bytes()).map(|(name, value)| {
        *last.borrow_mut() = name.clone();
        (Part(name), Part(value))
    });
    let read: Result<T, Wrong> = T::deserialize(MapDeserializer::<_, Wrong>::new(parts));
    read.map_err(|wrong| {
        let (field, kind) = match wrong {
            Wrong::Missing(name) => (name.to_owned(), FieldErrorKind::Missing),
            Wrong::Value(_) => (last.borrow().clone().into_owned(), FieldErrorKind::Value),
        };
        FieldError { field, kind, message: wrong.to_string() }
    })
}

/// Why a query cannot be read.
#[derive(Debug)]
enum Wrong {
    /// This parameter is not there.
    Missing(&'static str),
    /// What the value must be.
    Value(String),
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(_) => f.write_str("is required"),
            Self::Value(must) => f.write_str(must),
        }
    }
}

impl std::error::Error for Wrong {}

impl de::Error for Wrong {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self::Value("cannot be read".to_owned())
    }

    fn missing_field(name: &'static str) -> Self {
        Self::Missing(name)
    }

    fn duplicate_field(_: &'static str) -> Self {
        Self::Value("must stand there once".to_owned())
    }

    fn unknown_variant(_: &str, known: &'static [&'static str]) -> Self {
        Self::Value(format!("must be one of {}", known.join(", ")))
    }
}

/// The name or the value of a parameter.
struct Part<'q>(Cow<'q, str>);

impl<'de> IntoDeserializer<'de, Wrong> for Part<'_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// Reads a value of this type.
macro_rules! parsed {
    ($($method:ident $visit:ident $type:ty: $must:expr;)*) => {
        $(
            fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
                match self.0.parse::<$type>() {
                    Ok(value) => visitor.$visit(value),
                    Err(_) => Err(Wrong::Value($must)),
                }
            }
        )*
    };
}

fn whole_number(least: i128, most: i128) -> String {
    format!("must be a whole number from {least} to {most}")
}

impl<'de> de::Deserializer<'de> for Part<'_> {
    type Error = Wrong;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        visitor.visit_str(&self.0)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        let word: CowStrDeserializer<'_, Wrong> = self.0.into_deserializer();
        visitor.visit_enum(word)
    }

    parsed! {
        deserialize_bool visit_bool bool: "must be true or false".to_owned();
        deserialize_u8 visit_u8 u8: whole_number(u8::MIN.into(), u8::MAX.into());
        deserialize_u16 visit_u16 u16: whole_number(u16::MIN.into(), u16::MAX.into());
        deserialize_u32 visit_u32 u32: whole_number(u32::MIN.into(), u32::MAX.into());
        deserialize_u64 visit_u64 u64: whole_number(u64::MIN.into(), u64::MAX.into());
        deserialize_i8 visit_i8 i8: whole_number(i8::MIN.into(), i8::MAX.into());
        deserialize_i16 visit_i16 i16: whole_number(i16::MIN.into(), i16::MAX.into());
        deserialize_i32 visit_i32 i32: whole_number(i32::MIN.into(), i32::MAX.into());
        deserialize_i64 visit_i64 i64: whole_number(i64::MIN.into(), i64::MAX.into());
        deserialize_f32 visit_f32 f32: "must be a number".to_owned();
        deserialize_f64 visit_f64 f64: "must be a number".to_owned();
    }

    forward_to_deserialize_any! {
        char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;
    use crate::id::ProjectId;

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(rename_all = "lowercase")]
    enum Order {
        Created,
        Asked,
    }

    #[derive(Debug, Deserialize, PartialEq)]
    struct Wanted {
        q: String,
        limit: Option<u32>,
        after: Option<i64>,
        all: Option<bool>,
        share: Option<f64>,
        #[serde(alias = "sort")]
        order: Option<Order>,
        project: Option<ProjectId>,
    }

    #[test]
    fn a_query_is_read_by_its_types_and_what_is_unknown_is_passed_over() {
        let id = ProjectId::generate();
        let query = format!("q=a%20%26+b&limit=3&after=-1&all=true&share=0.5&sort=asked&project={id}&x=y&x");
        let read: Wanted = read(&query).unwrap();
        let expected = Wanted {
            q: "a & b".into(),
            limit: Some(3),
            after: Some(-1),
            all: Some(true),
            share: Some(0.5),
            order: Some(Order::Asked),
            project: Some(id),
        };
        assert_eq!(read, expected);
    }

    #[test]
    fn a_wrong_value_is_told_under_the_name_of_its_parameter() {
        for (query, field, message) in [
            ("", "q", "is required"),
            ("limit=3", "q", "is required"),
            ("q=a&limit=-1&x=y", "limit", "must be a whole number from 0 to 4294967295"),
            ("x=y&limit=&q=a", "limit", "must be a whole number from 0 to 4294967295"),
            ("q=a&all=1", "all", "must be true or false"),
            ("q=a&share=half", "share", "must be a number"),
            ("q=a&order=size", "order", "must be one of created, asked"),
            ("q=a&sort=size", "sort", "must be one of created, asked"),
            ("q=a&project=x", "project", "cannot be read"),
            ("q=a&limit=1&limit=2", "limit", "must stand there once"),
            ("q=a&order=asked&sort=asked", "sort", "must stand there once"),
        ] {
            let wrong = read::<Wanted>(query).unwrap_err();
            assert_eq!((&*wrong.field, &*wrong.message), (field, message), "{query}");
        }
    }
}
