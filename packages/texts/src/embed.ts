// The embed is built with these texts alone, and has no choice of language: a page replaces them by the option `messages`.
export { personalData as germanPersonalData } from "./de/embed/personal-data.ts";
export { keyLogMessages, messages } from "./en/embed/messages.ts";
export { personalData } from "./en/embed/personal-data.ts";
