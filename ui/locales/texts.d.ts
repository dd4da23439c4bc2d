/** Made by scripts/build/console/texts-plugin.ts. */
declare module "texts:all" {
  const loaders: Readonly<
    Record<
      import("../../src/lib/messages.ts").Language,
      Readonly<Record<keyof typeof import("./parts.ts").PARTS, () => Promise<import("./translation.ts").Texts>>>
    >
  >;
  export default loaders;
}
