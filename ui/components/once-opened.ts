import { useState } from "react";

/** Whether something that opens and closes was ever open: menus take time also while nobody has opened them. */
export function useOnceOpened(isOpen: boolean): boolean {
  const [wasOpened, setOpened] = useState(false);
  if (isOpen && !wasOpened) setOpened(true);
  return wasOpened || isOpen;
}
