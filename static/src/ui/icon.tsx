/** The few line icons of the app; always beside or inside something that has a name. */
const paths = {
  plus: "M12 5v14M5 12h14",
  menu: "M4 7h16M4 12h16M4 17h16",
  close: "M6 6l12 12M18 6L6 18",
  send: "M12 19V5M6 11l6-6 6 6",
  stop: "M7 7h10v10H7z",
  pencil: "M4 20l1-4L16 5l3 3L8 19l-4 1z",
  trash: "M5 7h14M10 7V5h4v2M7 7l1 12h8l1-12",
  chevron: "M9 6l6 6-6 6",
  copy: "M9 9h10v10H9zM5 15V5h10",
  check: "M5 12.5l4.5 4.5L19 7.5",
  cross: "M7 7l10 10M17 7L7 17",
  download: "M12 4v11M7 11l5 5 5-5M5 20h14",
  settings: "M4 8h9M17 8h3M4 16h3M11 16h9M15 6v4M9 14v4",
  sun: "M12 8a4 4 0 100 8 4 4 0 000-8zM12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6L7 7M17 17l1.4 1.4M5.6 18.4L7 17M17 7l1.4-1.4",
  moon: "M19 14a8 8 0 01-9-9 8 8 0 109 9z",
  auto: "M12 4a8 8 0 100 16zM12 4a8 8 0 010 16",
  up: "M12 19V6M7 11l5-5 5 5",
  down: "M12 5v13M7 13l5 5 5-5",
  alert: "M12 4l9 16H3zM12 10v4M12 17v.5",
  redo: "M19 5v5h-5M18.5 10A7 7 0 1019 14",
  clock: "M12 4a8 8 0 100 16 8 8 0 000-16zM12 8v4l3 2",
  thumb:
    "M4 11h3v9H4zM7 11l4-7c1.5 0 2.5 1 2 3l-.7 3H18c1.2 0 2 1 1.7 2.2l-1.4 6A2 2 0 0116.4 20H7",
  thumbDown:
    "M4 13h3V4H4zM7 13l4 7c1.5 0 2.5-1 2-3l-.7-3H18c1.2 0 2-1 1.7-2.2l-1.4-6A2 2 0 0016.4 4H7",
  log: "M5 6h14M5 12h14M5 18h8",
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
