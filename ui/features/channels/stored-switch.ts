import { useState } from "react";

/** A switch of a list that is remembered on this device. */
export function useStoredSwitch(storageKey: string): [boolean, (isOn: boolean) => void] {
  const [isOn, setOn] = useState(() => localStorage.getItem(storageKey) === "true");
  const save = (next: boolean) => {
    localStorage.setItem(storageKey, String(next));
    setOn(next);
  };
  return [isOn, save];
}
