/** What people come to do with the API, and the operations for it: `GET /api/token/` → what it does, as an imperative. */
export type ApiTask = Readonly<{ name: string; description: string; operations: Readonly<Record<string, string>> }>;
