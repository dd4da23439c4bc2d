/** The drawer that a path means: /channel/add a new channel (id null), /channel/edit/7 that one; null: none. */
export function drawerOf(path: string): { id: number | null } | null {
  if (/^\/channel\/add\/?$/.test(path)) return { id: null };
  const edited = /^\/channel\/edit\/(\d{1,9})\/?$/.exec(path);
  return edited ? { id: Number(edited[1]) } : null;
}
