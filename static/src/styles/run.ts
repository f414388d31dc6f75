/**
 * How runs look, and the styles that tables, folds and badges elsewhere share with them. It comes before the styles of whatever needs
 * it, in one order everywhere: a page imports it before its own.
 */
import "./conversation.css";
import "./dock.css";
import "./branches.css";
import "./council.css";
import "./final.css";
import "./answers.css";
import "./reviews.css";
import "./run-parts.css";
import "./markdown.css";
