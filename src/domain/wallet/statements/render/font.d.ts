declare module "*.ttf" {
  /** Path of the file. */
  const path: string;
  export default path;
}
