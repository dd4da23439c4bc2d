export { default as settings } from "../admin/settings.json" with { type: "json" };
export { default as receipt } from "../shell/receipt.json" with { type: "json" };
