/** As Vite has it. */
declare module "*?worker&url" {
  const url: string;
  export default url;
}
