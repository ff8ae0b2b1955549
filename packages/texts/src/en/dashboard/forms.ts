import { formatNumber } from "../formats.ts";
import { counted } from "../plurals.ts";

export const forms = {
  create: "New form",
  search: "Search forms",
  total: (count: number) => counted(count, { one: "form", other: "forms" }),
  submission: "submission",
  submissions: "submissions",
  submissionCount: (count: number) => counted(count, { one: "submission", other: "submissions" }),
  lastReceived: "Last received ",
  fresh: (count: "some" | number) => (count === "some" ? "New" : `${formatNumber(count)} new`),
  created: (when: string) => `Created ${when}`,
  sealed: "Sealed",
  plain: "Not sealed",
  held: "This form is under a legal hold",
  heldHint: "Nothing of it can be deleted. The settings say since when and by whom; an owner can lift the hold.",
  heldBadge: "Legal hold",
  unproved: "Nobody has shown yet that these submissions can be opened",
  unprovedHint: "They are sealed to a key that this server never had. Unlock the form once with its private key.",
  unprovedRotate: "If nobody has the key, rotate the keys now: what came until then stays sealed.",
  unprovedOthers: "If you have no key for it, tell an owner or a manager: perhaps nobody has.",
  unprovedLink: "Keys of this form",
  keyUnproved: "Key not proved",
  refused: {
    first: "First seen: ",
    last: "Last: ",
    /** After each cause but `old_key`. */
    anybody:
      "Anybody can send such a request, so it need not be a page of yours. It is forgotten a day after it was last seen.",
    forOthers: "Owners, managers and developers of the form can change that: tell one of them.",
    causes: {
      old_key: {
        title: "Visitors of a page with the old key are refused",
        hint: "The page's snippet names a key that the form no longer has, so nothing is sent from there. A page that is mended is forgotten after a day.",
        link: "This is the snippet with the new key",
        here: "The snippet with the new key is below.",
      },
      origin: {
        title: "A page that this form does not allow was refused",
        hint: "It is not among the pages that may send. If it is a page of yours, add its address.",
        link: "Pages that may send",
        here: "Add it below, under “Pages that may send”.",
      },
      unsealed: {
        title: "Answers that were not sealed were refused",
        hint: "The form takes sealed answers alone. A plain HTML form sends others: it needs the snippet in its place.",
        link: "The form's snippet",
        here: "The snippet is below.",
      },
      too_large: {
        title: "A submission was refused as too large",
        hint: "It had more bytes than the form's limit, or than the 1 MiB that any submission may have.",
        link: "The form's limits",
        here: "The limits are below.",
      },
      hourly_limit: {
        title: "The form reached its limit for an hour",
        hint: "Whatever came after that was refused. If these were visitors, raise the limit.",
        link: "The form's limits",
        here: "The limits are below.",
      },
      form_markup: {
        title: "A plain HTML form was refused for its markup",
        hint: 'It has files, too many fields, no field whose name counts, another enctype, or method="get".',
        link: "The form's snippet",
        here: "The snippet is below.",
      },
    },
  },
  stripsPii: "Strips personal data",
  noneForRole: "There is no form for you yet",
  noneForRoleIntro: "Owners and managers make forms, and name those that your role is for.",
  firstTitle: "Create your first form",
  firstIntro:
    "Give it a name, save its key, paste two lines into your page. What visitors type is sealed before it leaves their browser.",
  noneFound: "No forms found",
  noneFoundHint: (search: string) => `None of your forms is called “${search}”.`,
  clearSearch: "Clear search",
  more: "Show more",
  backToForms: "All forms",
  notFound: "There is no such form",
  notFoundHint: "It may have been deleted, it belongs to another account, or your role does not name it.",
  tabsLabel: "Parts of this form",
  wizard: {
    steps: ["Name", "Save the key", "Prove and create"],
    stepLabel: (step: number, of: number, name: string) => `Step ${step} of ${of}: ${name}`,
    name: "Name",
    nameHint: "Visitors don't see it. For example: Contact, Job applications, Works council.",
    nameMissing: "The form needs a name",
    nameUnfit: "A name can't contain control characters",
    encryption: "Seal submissions",
    encryptionHint: "Visitors' browsers encrypt every answer to your key. This server can't read them. Recommended.",
    encryptionOff:
      "Without sealing, this server and everyone who can read its database sees every answer. Only for what may be public anyway.",
    encryptionOffKey: "The form gets a key all the same, so that you can turn sealing on later.",
    piiStrip: "Strip personal data",
    piiStripHint:
      "Card numbers, bank accounts, email addresses and the like are removed from free text, and fields for a name, an address, an email address or a telephone number are emptied. They can't be brought back.",
    makingKey: "Making your key pair in this browser…",
    keyFailed: "This browser could not make a key pair",
    keyTitle: "Save your private key",
    keyIntro:
      "This key was just made in your browser and exists nowhere else. It opens everything that visitors send. The server only ever gets its public half.",
    lossTitle: "Without this key nobody can open the submissions",
    loss: "Neither you nor the server's operator. There is no reset. Save it where you keep other secrets, twice if they matter.",
    lossLink: "Good places for a key",
    fingerprint: "Fingerprint",
    fingerprintHint: "Names the key. You can compare it later.",
    passphrase: "Protect the file with a passphrase",
    passphraseHint: "The file is then an age file (age-encryption.org), which the standard age tool opens too.",
    passphraseLabel: "Passphrase",
    passphraseAgain: "Passphrase once more",
    passphraseRule: "At least 10 characters. If you lose it, the key is lost.",
    passphraseShort: "The passphrase needs at least 10 characters",
    passphraseDiffers: "The two passphrases differ",
    download: "Download key file",
    downloading: "Protecting the file…",
    downloaded: (file: string) => `Saved as ${file}`,
    savedInClear: (file: string) =>
      `${file} is not protected. To protect it, download it again with a passphrase and delete that one.`,
    savedProtected: (file: string) =>
      `${file} is protected with the passphrase. Download it again to have one without.`,
    copyKey: "Copy key",
    copiedTitle: "A copied key is not saved yet",
    copiedHint:
      "The clipboard forgets it with the next thing that is copied. Paste it now where you keep secrets, such as a password manager; then prove the key with what you copy from there.",
    copiedSaved: "I have pasted it there",
    print: "Print recovery sheet",
    copyInClear:
      "The passphrase protects only the file. Anyone who finds the key copied or printed can use it without the passphrase.",
    saveFirst: "Download or print the key first, or paste a copy where it is kept.",
    proveTitle: "Prove that you saved it",
    proveIntro:
      "Choose the key you just saved. This page opens a test value with it; so you know now, not in a year, that your copy works.",
    proved: "The test value was opened. Your copy of the key works.",
    otherKey: "This is a key, but not the one that was just made. Choose the file that you just saved.",
    create: "Create form",
    changeName: "Change the name",
    createLocked: "The form is created once your copy of the key has been proved.",
    leave: {
      title: "Leave without creating the form?",
      hint: "The key that was made here will be forgotten. Nothing else is lost.",
      leave: "Leave",
    },
    leaveUnsure: {
      title: "Leave before it is known?",
      hint: "The form may be there already, and opens with this key alone. Keep what you saved of it, and look at the list of your forms.",
      leave: "Leave",
    },
  },
  embed: {
    title: "Put the form on your page",
    intro: "An ordinary HTML form is all it takes. Every input needs a name; the script does the rest.",
    more: "Texts in your language, spam, several forms on a page",
    builders: "WordPress, Wix, Squarespace",
    bind: "Connect it",
    bindHint: "One of these ways.",
    pinUnknown: "No snippet is shown until the form’s keys are here.",
    withheld: "No snippet is shown while the hybrid key that the server names is not the one unlocked here.",
    /** In the code of a form to start from: without `<`, `{` and `&`. */
    sample: {
      unavailable: "Loading. If this stays, the form could not be loaded.",
      email: "Email",
      message: "Message",
      send: "Send",
    },
    header: "Header",
    html: "HTML",
    jsx: "JSX",
    htmlHint:
      "Paste this below your form. It loads one small script, whose bytes the browser checks, and binds it to the form on the page.",
    react: "React",
    reactHint: "The same, as a component, in your own bundle. The guide says how to get the package.",
    form: "A form to start from",
    formHint:
      "Any inputs will do. data-sealpost says which form is meant. Until the script is there, and if it is blocked, the first line says so and the button can't be pressed.",
    style: "With a stylesheet",
    styleHint:
      "The form then has a look of its own, light or dark as your page's color-scheme says, in the letters of your page. Leave it out if your site styles forms already.",
    styleMore: "Colours, corners, and what it looks like",
    stylePicture: {
      light: "The form with the stylesheet on a light device: two labelled fields and a button, one below the other",
      dark: "The same form on a dark device",
    },
    pinned: "Accept only your key",
    pinnedHint:
      "The snippet then names the key's fingerprint, and the page refuses any other key, even one that this server offers. Change the snippet when you rotate the keys: add the new fingerprint before, remove the old one after.",
    pinnedUnproved:
      "The server names this key, and you have not unlocked it here: compare the fingerprint with the one in your key file before you publish the snippet.",
    plain: "Without a script",
    plainHint:
      "Works without JavaScript. The answers are not sealed. A hidden field _next says which page of yours comes after sending.",
    plainUnavailable:
      "A plain HTML form can post only to forms that are not sealed: without a script nothing can encrypt.",
    csp: "Content-Security-Policy",
    cspHint:
      "If your site sends this header, it has to name the address of this server as here: the script is loaded from there, and answers are posted there. Such a header refuses inline scripts: use the snippet “Without an inline script”.",
    strict: "Without an inline script",
    strictHint:
      "For pages whose Content-Security-Policy refuses inline scripts. The attributes of the one script element say what the inline script would.",
    waitingTitle: "Waiting for the first submission",
    waitingIntro: "Open your page, fill in the form and send it. It shows up here by itself.",
    arrivedTitle: "The first submission is here",
    arrivedIntro: (isSealed: boolean) =>
      isSealed ? "It was sealed in the visitor's browser and stored as it came." : "It was stored as it came.",
    arrivedAction: "Open submissions",
  },
};
