/** Where the documentation, which the same server has at `/docs`, answers what somebody may ask here. A test follows each. */
export const helpPages = {
  start: "/docs",
  selfHosting: "/docs/self-hosting#the-web-server-in-front",
  embed: "/docs/embed",
  formStyle: "/docs/embed#a-look-to-start-from",
  websiteBuilders: "/docs/website-builders",
  saveKey: "/docs/keys#save-it",
  lostKey: "/docs/keys#the-key-is-lost",
  rotateKeys: "/docs/keys#rotate",
  hybridKeys: "/docs/keys#hybrid-keys",
  personalData: "/docs/personal-data#what-is-found",
  receivers: "/docs/receivers",
  api: "/docs/api",
  teams: "/docs/teams",
  deleteAccount: "/docs/accounts#delete-an-account",
  legalHold: "/docs/teams#keep-everything-a-legal-hold",
  secondFactor: "/docs/keys#other-secrets",
} as const;
