import { useAtom } from "jotai";
import { useSite } from "../../site-status.ts";
import { storedAtom } from "../../stored-atom.ts";

/** What was chosen on this device; null when nothing was. */
const collapsedAtom = storedAtom<boolean | null>("default_collapse_sidebar", {
  parse: (text) => (text === null ? null : text === "true"),
  print: String,
});

/** Whether the sider is collapsed: the choice on this device, else the site's default. */
export function useCollapsed(): [boolean, (collapsed: boolean) => void] {
  const byDefault = useSite()?.default_collapse_sidebar ?? false;
  const [chosen, choose] = useAtom(collapsedAtom);
  return [chosen ?? byDefault, choose];
}
