import { useState } from "react";
import { useSite } from "../site/site.tsx";

const STORAGE_KEY = "default_collapse_sidebar";

/** Whether the sider is collapsed: the choice on this device, else the site's default. */
export function useCollapsed(): [boolean, (collapsed: boolean) => void] {
  const byDefault = useSite()?.default_collapse_sidebar ?? false;
  const [chosen, setChosen] = useState(() => localStorage.getItem(STORAGE_KEY));
  const choose = (collapsed: boolean) => {
    localStorage.setItem(STORAGE_KEY, String(collapsed));
    setChosen(String(collapsed));
  };
  return [chosen === null ? byDefault : chosen === "true", choose];
}
