import { useState } from "react";

const STORAGE_KEY = "id-sort";

/** Whether the list is sorted by ID where no column is chosen; remembered on this device. */
export function useIdSort(): [boolean, (isOn: boolean) => void] {
  const [isOn, setOn] = useState(() => localStorage.getItem(STORAGE_KEY) === "true");
  const save = (next: boolean) => {
    localStorage.setItem(STORAGE_KEY, String(next));
    setOn(next);
  };
  return [isOn, save];
}
