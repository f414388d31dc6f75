/** How the page looks on paper and in the system's own colours. */
import "./forced-colors.css";
import "./print.css";
