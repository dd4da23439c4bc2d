export { default as logNotes } from "../gateway/log-notes.json" with { type: "json" };
export { default as tasks } from "../gateway/tasks.json" with { type: "json" };
export { default as alertEvents } from "../shell/alertEvents.json" with { type: "json" };
export { default as receipt } from "../shell/receipt.json" with { type: "json" };
