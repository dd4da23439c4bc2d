import type { ApiTask } from "./api-task.ts";

export const KEYS: ApiTask = {
  name: "API keys",
  description: "Create, limit, rotate and delete keys, and read what a key may spend.",
  operations: {
    "GET /api/token/": "List your API keys",
    "POST /api/token/": "Create API keys",
    "PUT /api/token/": "Update an API key",
    "GET /api/token/{id}": "Get an API key",
    "DELETE /api/token/{id}": "Delete an API key",
    "POST /api/token/{id}/rotate": "Replace the secret of an API key",
    "GET /api/token/search": "Search your API keys",
    "POST /api/device/code": "Start to connect an agent on a device",
    "POST /api/device/token": "Get the key of a connected device",
    "POST /api/device/revoke": "Revoke the key of a device",
    "GET /api/device/request": "Get which device asks to be connected",
    "POST /api/device/approve": "Connect a device",
    "POST /api/device/deny": "Refuse a device",
    "POST /api/key-leaks/report": "Report leaked keys, as secret scanners do",
    "GET /api/usage/token": "Get the quota of the calling key",
    "GET /api/log/token": "List the calls of the calling key",
    "GET /dashboard/billing/subscription": "Get the limit of the calling key in OpenAI's old format",
    "GET /dashboard/billing/usage": "Get the spending of the calling key in OpenAI's old format",
    "GET /v1/dashboard/billing/subscription": "Get the limit of the calling key in OpenAI's old format",
    "GET /v1/dashboard/billing/usage": "Get the spending of the calling key in OpenAI's old format",
  },
};

export const PLAYGROUND: ApiTask = {
  name: "Playground",
  description: "What models take, calls as code, and chats that users store on the server.",
  operations: {
    "GET /api/playground/model": "Get the parameters of a model",
    "POST /api/playground/code": "Write a request in another format",
    "GET /api/playground/chats": "List your stored chats",
    "GET /api/playground/chats/{id}": "Get a stored chat",
    "PUT /api/playground/chats/{id}": "Store a chat",
    "DELETE /api/playground/chats/{id}": "Delete a stored chat",
    "PUT /api/playground/history": "Store chats on the server, or stop and delete them",
  },
};

export const PROFILE: ApiTask = {
  name: "Your account",
  description: "Your profile, what you may use, notices to you, and everything that is stored of you.",
  operations: {
    "GET /api/user/self": "Get your account",
    "PUT /api/user/self": "Update your account",
    "DELETE /api/user/self": "Delete your account",
    "PUT /api/user/setting": "Update how you are notified",
    "POST /api/user/setting/test": "Send a test notice to yourself",
    "GET /api/user/self/groups": "List the groups that you may use",
    "GET /api/user/groups": "List the groups that callers may use",
    "GET /api/user/models": "List the models that you may use",
    "POST /api/user/self/download": "Get an address to download a file once",
    "GET /api/user/self/export": "Download the data of your account",
    "POST /api/user/self/export": "Export the data of your account",
    "POST /api/user/self/export/download": "Get an address to download the data of your account",
    "GET /api/verification": "Send a verification code by mail",
    "GET /api/oauth/email/bind": "Bind a mail address",
    "GET /api/oauth/wechat/bind": "Bind a WeChat account",
    "GET /api/oauth/telegram/bind": "Bind a Telegram account",
    "DELETE /api/user/bindings/{provider}": "Remove a bound account",
    "POST /api/user/push/code": "Get a QR code to bind push messages",
    "POST /api/user/push/bind": "Bind push messages",
    "DELETE /api/user/push": "Remove push messages",
  },
};
