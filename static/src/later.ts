/** What the page can do without until it is shown: its keys, and how it looks on paper. */
import "./styles/print.css";
import { listen } from "./features/shortcuts/keys";

listen();
