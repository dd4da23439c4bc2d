export { default as alerts } from "../admin/alerts.json" with { type: "json" };
export { default as logNotes } from "../gateway/log-notes.json" with { type: "json" };
export { default as tasks } from "../gateway/tasks.json" with { type: "json" };
export { default as receipt } from "../shell/receipt.json" with { type: "json" };
