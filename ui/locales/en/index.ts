export * from "./parts/account.ts";
export * from "./parts/admin.ts";
export * from "./parts/public.ts";
export * from "./parts/records.ts";
export * from "./parts/settings.ts";
export * from "./parts/signed-in.ts";
export { about, home, model, pricing, reference } from "./parts/site.ts";
