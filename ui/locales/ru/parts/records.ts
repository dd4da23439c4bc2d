export { default as logNotes } from "../gateway/log-notes.json" with { type: "json" };
