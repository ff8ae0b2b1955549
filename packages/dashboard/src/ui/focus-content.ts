/** Where the next Tab continues when what was pressed is gone: at the page's content, with its top in sight. */
export function focusContent(): void {
  document.getElementById("content")?.focus({ preventScroll: true });
  window.scrollTo({ top: 0 });
}
