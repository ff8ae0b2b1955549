import { keys, type Tab } from "../browsers/tab.ts";
import type { PageCase } from "./page-case.ts";

// Which button was pressed, and where it says that the answers go.

const message = `<label>Message <textarea name="message"></textarea></label>`;
const sent = { kind: "sent" } as const;
const type = (tab: Tab) => tab.fill("Message", "whether it rains");
const typeAndPress = async (tab: Tab, button = "Send") => {
  await type(tab);
  await tab.click({ button });
};
const page =
  (content: string, after = "") =>
  ({ form, snippet }: { form: string; snippet(): string }) =>
    `<form ${form}>${content}</form>${snippet()}${after}`;

export const buttonCases: readonly PageCase[] = [
  {
    title: "of the button that was pressed, with its name and value, and of no other",
    ending: sent,
    html: page(
      `${message}<button name="urgent" value="no">Send</button><button name="urgent" value="yes">Urgent</button><input type="submit" name="third" value="3">`,
    ),
    steps: (tab) => typeAndPress(tab, "Urgent"),
  },
  {
    title: "sent by Enter in a field, with the first button's value",
    ending: sent,
    html: page(
      `<label>Name <input name="name"></label><button type="button" name="x" value="1">Other</button><button name="by" value="enter">Send</button>`,
    ),
    steps: (tab) => tab.fill("Name", `Zoë 😀${keys.enter}`),
  },
  {
    title: "sent by a button outside of the form, with fields that name the form from elsewhere",
    ending: sent,
    isInEachRun: true,
    html: ({ form, snippet }) =>
      `<label>Message <textarea name="message" form="far"></textarea></label><form id="far" ${form}><input name="inside" value="1"></form><input name="after" value="2" form="far"><button form="far" name="by" value="outside">Send</button>${snippet()}`,
    steps: (tab) => typeAndPress(tab),
  },
  {
    title: "sent by an image, with the place where it was pressed",
    ending: sent,
    isInEachRun: true,
    html: page(
      `<p style="position: absolute; top: 50px; left: 50px"><input type="image" name="map" alt="Map" style="width: 40px; height: 40px" src="data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"></p>${message}`,
    ),
    async steps(tab) {
      await type(tab);
      await tab.click({ css: "[type=image]" });
    },
  },
  {
    title: "sent by a button whose formnovalidate lets an empty required field pass",
    ending: sent,
    html: page(
      `<label>Mail <input name="mail" type="email" required></label>${message}<button formnovalidate>Send</button>`,
    ),
    steps: (tab) => typeAndPress(tab),
  },
  {
    title: "sent by a button whose formmethod would put them into the page's address",
    ending: sent,
    html: page(`${message}<button formmethod="get">Send</button>`),
    steps: (tab) => typeAndPress(tab),
  },
  {
    title: "of a form that is cancelled by a button with formmethod=dialog: nothing, and the dialog closes",
    ending: { kind: "nothing" },
    isInEachRun: true,
    markups: ["bare", "dialog", "post"],
    html: ({ form, snippet }) =>
      `<dialog><form ${form}>${message}<button formmethod="dialog" formnovalidate value="cancel">Cancel</button><button>Send</button></form></dialog>${snippet()}<script>document.querySelector("dialog").showModal()</script>`,
    steps: (tab) => typeAndPress(tab, "Cancel"),
    probe: () => {
      const dialog = document.querySelector("dialog");
      return [dialog?.open, dialog?.returnValue, document.querySelector("textarea")?.value];
    },
  },
  {
    title: "sent from a dialog",
    ending: sent,
    markups: ["bare", "dialog"],
    html: ({ form, snippet }) =>
      `<dialog><form ${form}>${message}<button formmethod="dialog" formnovalidate>Cancel</button><button name="by" value="dialog">Send</button></form></dialog>${snippet()}<script>document.querySelector("dialog").showModal()</script>`,
    steps: (tab) => typeAndPress(tab),
  },
  {
    title:
      "of a button with a formaction of its own: they go there, as the page's author says, and are not stored as final",
    ending: { kind: "elsewhere", path: "/draft" },
    isInEachRun: true,
    html: page(
      `${message}<button>Send</button><button formaction="/draft" formmethod="post" formenctype="multipart/form-data" name="as" value="draft">Save</button>`,
    ),
    steps: (tab) => typeAndPress(tab, "Save"),
  },
  {
    title: "of a form with an empty required field: nothing",
    ending: { kind: "nothing" },
    html: page(`<label>Mail <input name="mail" type="email" required></label>${message}<button>Send</button>`),
    steps: (tab) => typeAndPress(tab),
    probe: () => document.activeElement?.getAttribute("name"),
  },
  {
    title: "of a form whose button is pressed twice quickly: once",
    ending: sent,
    html: page(`${message}<button>Send</button>`),
    async steps(tab) {
      await type(tab);
      await tab.click({ button: "Send" }, 2);
    },
  },
  {
    title: "of a button that is of type button, or resets: nothing",
    ending: { kind: "nothing" },
    html: page(
      `${message}<button>Send</button><button type="button">Other</button><button type="reset">Empty</button>`,
    ),
    async steps(tab) {
      await typeAndPress(tab, "Other");
      await tab.click({ button: "Empty" });
    },
    probe: () => document.querySelector("textarea")?.value,
  },
];
