export type Theme = "system" | "light" | "dark";

/** The appearance that was chosen. */
const storageKey = "sealpost-theme";

export function findTheme(): Theme {
  const stored = localStorage.getItem(storageKey);
  return stored === "light" || stored === "dark" ? stored : "system";
}

export function applyTheme(theme: Theme): void {
  if (theme === "system") {
    localStorage.removeItem(storageKey);
    delete document.documentElement.dataset.theme;
  } else {
    localStorage.setItem(storageKey, theme);
    document.documentElement.dataset.theme = theme;
  }
}
