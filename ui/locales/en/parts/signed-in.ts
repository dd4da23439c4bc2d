export { default as organizations } from "../account/organizations.json" with { type: "json" };
export { default as tokens } from "../account/tokens.json" with { type: "json" };
export { default as chat } from "../gateway/chat.json" with { type: "json" };
export { default as dashboard } from "../gateway/dashboard.json" with { type: "json" };
export { default as logs } from "../gateway/logs.json" with { type: "json" };
export { default as playground } from "../gateway/playground.json" with { type: "json" };
export { default as start } from "../shell/start.json" with { type: "json" };
export { default as announcements } from "../site/announcements.json" with { type: "json" };
