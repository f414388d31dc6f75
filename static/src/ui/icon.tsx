/** The few line icons of the app; always next to or inside something that has a name. */
const paths = {
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  menu: "M4 7h16M4 12h16M4 17h16",
  close: "M6 6l12 12M18 6L6 18",
  send: "M12 19V5M6 11l6-6 6 6",
  stop: "M7 7h10v10H7z",
  pencil: "M4 20l1-4L16 5l3 3L8 19l-4 1z",
  trash: "M5 7h14M10 7V5h4v2M7 7l1 12h8l1-12",
  chevron: "M9 6l6 6-6 6",
  copy: "M9 9h10v10H9zM5 15V5h10",
  check: "M5 12.5l4.5 4.5L19 7.5",
  download: "M12 4v11M7 11l5 5 5-5M5 20h14",
  settings: "M4 8h9M17 8h3M4 16h3M11 16h9M15 6v4M9 14v4",
  chart: "M4 20h16M7 20v-7M12 20V5M17 20v-10",
  shield: "M12 3l7 3v5.5c0 4.6-2.9 7.8-7 9.5-4.1-1.7-7-4.9-7-9.5V6z",
  sun: "M12 8a4 4 0 100 8 4 4 0 000-8zM12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6L7 7M17 17l1.4 1.4M5.6 18.4L7 17M17 7l1.4-1.4",
  moon: "M19 14a8 8 0 01-9-9 8 8 0 109 9z",
  auto: "M12 4a8 8 0 100 16zM12 4a8 8 0 010 16",
  grip: "M9 6h.01M9 12h.01M9 18h.01M15 6h.01M15 12h.01M15 18h.01",
  up: "M12 19V6M7 11l5-5 5 5",
  down: "M12 5v13M7 13l5 5 5-5",
  alert: "M12 4l9 16H3zM12 10v4M12 17v.5",
  redo: "M19 5v5h-5M18.5 10A7 7 0 1019 14",
  clock: "M12 4a8 8 0 100 16 8 8 0 000-16zM12 8v4l3 2",
  thumb:
    "M4 11h3v9H4zM7 11l4-7c1.5 0 2.5 1 2 3l-.7 3H18c1.2 0 2 1 1.7 2.2l-1.4 6A2 2 0 0116.4 20H7",
  thumbDown:
    "M4 13h3V4H4zM7 13l4 7c1.5 0 2.5-1 2-3l-.7-3H18c1.2 0 2-1 1.7-2.2l-1.4-6A2 2 0 0016.4 4H7",
  more: "M5.5 12h.01M12 12h.01M18.5 12h.01",
  archive: "M4 5h16v4H4zM6 9v10h12V9M10 13h4",
  pin: "M9 4h6M10 4v6l-3 4h10l-3-4V4M12 14v6",
  panel: "M4 5h16v14H4zM9 5v14",
  keyboard: "M3 7h18v10H3zM7 11h.01M10.5 11h.01M14 11h.01M17 11h.01M8 14h8",
  print: "M7 9V4h10v5M7 17H4V9h16v8h-3M7 14h10v6H7z",
  log: "M5 6h14M5 12h14M5 18h8",
  clip: "M8 12.5l6.2-6.2a3 3 0 014.3 4.3l-8 8a5 5 0 01-7.1-7.1L11 4",
  file: "M7 3h7l4 4v14H7zM14 3v4h4",
  tag: "M4 4h8l8 8-8 8-8-8zM8.5 8.5h.01",
  mic: "M12 4a3 3 0 00-3 3v5a3 3 0 006 0V7a3 3 0 00-3-3zM6 11.5a6 6 0 0012 0M12 17.5V21",
  book: "M5 5.5A1.5 1.5 0 016.5 4H19v16H6.5A1.5 1.5 0 015 18.5zM5 18.5A1.5 1.5 0 016.5 17H19",
  folder: "M4 6h6l2 3h8v10H4z",
  team: "M9 11a3 3 0 100-6 3 3 0 000 6zM3.5 19a5.5 5.5 0 0111 0M15 5.2a3 3 0 010 5.6M17.2 14.2a5.5 5.5 0 013.3 4.8",
  link: "M10 14l4-4M8 11l-3 3a3.5 3.5 0 005 5l3-3M16 13l3-3a3.5 3.5 0 00-5-5l-3 3",
  search: "M11 5a6 6 0 100 12 6 6 0 000-12zM15.5 15.5L20 20",
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}
