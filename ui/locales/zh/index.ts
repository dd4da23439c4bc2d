export * from "./public.ts";
export * from "./settings.ts";
export * from "./signed-in.ts";
