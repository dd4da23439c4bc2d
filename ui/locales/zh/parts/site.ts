export { default as tokens } from "../account/tokens.json" with { type: "json" };
export { default as catalog } from "../gateway/catalog.json" with { type: "json" };
export { default as chat } from "../gateway/chat.json" with { type: "json" };
export { default as pricing } from "../gateway/pricing.json" with { type: "json" };
export { default as about } from "../site/about.json" with { type: "json" };
export { default as home } from "../site/home.json" with { type: "json" };
export { default as model } from "../site/model.json" with { type: "json" };
export { default as reference } from "../site/reference.json" with { type: "json" };
