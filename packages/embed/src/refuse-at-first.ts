import { refuse } from "./refuse.ts";

// The first module of a page's script: where the others can't run, forms are as on a page that has replaced something.
refuse();
