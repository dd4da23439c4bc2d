export { default as personal } from "../account/personal.json" with { type: "json" };
export { default as rewards } from "../account/rewards.json" with { type: "json" };
export { default as security } from "../account/security.json" with { type: "json" };
export { default as wallet } from "../account/wallet.json" with { type: "json" };
export { default as agents } from "../admin/agents.json" with { type: "json" };
export { default as notifications } from "../admin/notifications.json" with { type: "json" };
export { default as plans } from "../admin/plans.json" with { type: "json" };
