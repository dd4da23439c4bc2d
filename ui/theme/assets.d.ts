/** A font's address in the built console. */
declare module "*.woff2" {
  const address: string;
  export default address;
}

/** An image's address in the built console. */
declare module "*.svg" {
  const address: string;
  export default address;
}
