export * from "./public.ts";
export * from "./signed-in.ts";
