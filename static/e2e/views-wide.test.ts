import { shapes } from "./browser";
import { checkViews } from "./views/check";

checkViews({ ...shapes.wide, colorScheme: "light" });
