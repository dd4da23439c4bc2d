export { default as settings } from "../admin/settings.json" with { type: "json" };
