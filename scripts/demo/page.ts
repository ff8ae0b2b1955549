export interface DemoPageOptions {
  /** HTML. */
  readonly title?: string;
  readonly isSealed?: boolean;
  /** HTML, put at the end of the page. */
  readonly more?: string;
}

/** The page of a site's owner: an ordinary HTML form, and the form's own embed code pasted below it. */
export function createDemoPage(embedCode: string, options: DemoPageOptions = {}): string {
  const { title = "Ask the works council", isSealed = true, more = "" } = options;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>
  :root { color-scheme: light dark; --line: light-dark(#c9d1d9, #3d444d); --accent: light-dark(#0b6e4f, #4cc38a); }
  * { box-sizing: border-box; }
  body { margin: 0; font: 1rem/1.5 system-ui, sans-serif; background: light-dark(#f4f6f5, #0f1412); color: light-dark(#16211c, #e6edea); }
  main { max-width: 34rem; margin: 3rem auto; padding: 2rem; background: light-dark(#fff, #171d1a); border: 1px solid var(--line); border-radius: .75rem; }
  h1 { margin: 0 0 .25rem; font-size: 1.5rem; }
  p { margin: 0 0 1.5rem; }
  label { display: block; margin-top: 1rem; font-weight: 600; }
  fieldset { margin: 1rem 0 0; padding: 0; border: 0; }
  legend { padding: 0; font-weight: 600; }
  fieldset label { display: inline-block; margin: .25rem 1rem 0 0; font-weight: 400; }
  input:not([type=checkbox]), textarea { width: 100%; margin-top: .25rem; padding: .6rem .7rem; font: inherit; color: inherit; background: transparent; border: 1px solid var(--line); border-radius: .4rem; }
  :focus-visible { outline: 3px solid var(--accent); outline-offset: 1px; }
  button { margin-top: 1.5rem; padding: .65rem 1.2rem; font: inherit; font-weight: 600; color: light-dark(#fff, #0f1412); background: var(--accent); border: 0; border-radius: .4rem; cursor: pointer; }
  button:disabled { opacity: .6; cursor: progress; }
  [role=status], [role=alert] { margin-top: 1rem; font-weight: 600; }
  small { display: block; margin-top: 1.5rem; color: light-dark(#4a5a52, #9fb0a8); }
</style>
</head>
<body>
<main>
  <h1>${title}</h1>
  <p>${isSealed ? "Your words are sealed in this browser. Only the council can open them." : "Nothing is sealed here: the service can read your words."}</p>
  <form method="dialog">
    <label for="name">Name, if you like</label>
    <input id="name" name="name" autocomplete="name">
    <label for="email">Where may we answer?</label>
    <input id="email" name="email" type="email" autocomplete="email" required>
    <fieldset>
      <legend>What is it about?</legend>
      <label><input type="checkbox" name="topics" value="hours"> Working hours</label>
      <label><input type="checkbox" name="topics" value="pay"> Pay</label>
      <label><input type="checkbox" name="topics" value="safety"> Safety</label>
    </fieldset>
    <label for="message">Your question</label>
    <textarea id="message" name="message" rows="5" required></textarea>
    <button>${isSealed ? "Send sealed" : "Send"}</button>
  </form>
  <small>This page is on another origin than the service, as your site would be.</small>
</main>
${embedCode}
${more}</body>
</html>
`;
}
