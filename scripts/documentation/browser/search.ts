import MiniSearch, { type SearchResult } from "minisearch";
import { type Place, searchOptions } from "../search-options.ts";
import { offerCopies } from "./copy.ts";

const resultsMax = 12;
const excerptLength = 160;

const form = document.querySelector<HTMLFormElement>("form.search");
const input = form?.querySelector("input");
const panel = document.querySelector<HTMLElement>("#results");
const status = panel?.querySelector("p");
const list = panel?.querySelector("ul");
offerCopies();
if (form && input && panel && status && list) offerSearch(form, input, panel, status, list);

/** The box is hidden in the page, since it does nothing without this script. The index is loaded at the first use. */
function offerSearch(
  form: HTMLFormElement,
  input: HTMLInputElement,
  panel: HTMLElement,
  status: HTMLElement,
  list: HTMLElement,
): void {
  let index: Promise<MiniSearch<Place>> | undefined;
  const load = (): Promise<MiniSearch<Place>> => {
    index ??= loadIndex(form.dataset.index ?? "");
    // A later try may be luckier.
    index.catch(() => (index = undefined));
    return index;
  };
  const close = () => {
    panel.hidden = true;
  };

  async function show(): Promise<void> {
    const wanted = input.value.trim();
    if (wanted === "") return close();
    try {
      const found = (await load()).search(wanted);
      if (wanted !== input.value.trim()) return; // the reader typed on while it was loading
      const shown = found.slice(0, resultsMax);
      const places = found.length === 1 ? "1 place" : `${found.length} places`;
      status.textContent =
        found.length === 0
          ? `Nothing found for “${wanted}”.`
          : shown.length < found.length
            ? `${places}, the best ${shown.length}:`
            : `${places}:`;
      list.replaceChildren(...shown.map(createItem));
    } catch {
      status.textContent = "The search could not be loaded.";
      list.replaceChildren();
    }
    panel.hidden = false;
  }

  form.hidden = false;
  input.addEventListener("focus", () => void load().catch(() => undefined));
  input.addEventListener("input", () => void show());
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    panel.querySelector("a")?.click();
  });
  for (const element of [form, panel])
    element.addEventListener("keydown", (event) => {
      if (event.key === "Escape") {
        close();
        input.focus();
      }
    });
  document.addEventListener("keydown", (event) => {
    const isElsewhere = !(event.target instanceof HTMLInputElement);
    if (event.key !== "/" || !isElsewhere || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    input.focus();
  });
  // A result may be on this very page.
  list.addEventListener("click", close);
}

async function loadIndex(address: string): Promise<MiniSearch<Place>> {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`The index was answered with ${answer.status}`);
  return MiniSearch.loadJSONAsync(await answer.text(), searchOptions);
}

function createItem(result: SearchResult): HTMLElement {
  const { id, heading, page, text } = result as SearchResult & Place; // `storeFields` names the members
  const item = document.createElement("li");
  const link = document.createElement("a");
  link.href = id;
  const title = document.createElement("strong");
  title.append(...mark(heading, result.terms));
  link.append(title);
  if (heading !== page) link.append(` ${page}`);
  const excerpt = document.createElement("span");
  excerpt.append(...mark(cut(text, result.terms), result.terms));
  item.append(link, excerpt);
  return item;
}

/** The part of the text around the first word that was found. */
function cut(text: string, terms: readonly string[]): string {
  const lower = text.toLowerCase();
  const places = terms.map((term) => lower.indexOf(term)).filter((place) => place >= 0);
  const from = Math.max(0, Math.min(...(places.length > 0 ? places : [0])) - 40);
  const begin = from === 0 ? 0 : text.indexOf(" ", from) + 1;
  const part = text.slice(begin, begin + excerptLength);
  return `${begin > 0 ? "… " : ""}${part}${begin + excerptLength < text.length ? " …" : ""}`;
}

function mark(text: string, terms: readonly string[]): (Node | string)[] {
  const words = terms.map((term) => term.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).sort((a, b) => b.length - a.length);
  if (words.length === 0) return [text];
  return text.split(new RegExp(`(${words.join("|")})`, "gi")).map((part, position) => {
    if (position % 2 === 0) return part;
    const marked = document.createElement("mark");
    marked.textContent = part;
    return marked;
  });
}
