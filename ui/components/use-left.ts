import { useState } from "react";

/** Whether a field was left, what to do when it is left, and when it is edited again. */
type Left = Readonly<{ isLeft: boolean; leave: () => void; enter: () => void }>;

/**
 * Tells when a field was left, to say then what is wrong with it. A press that leaves it comes to its end first: a message
 * that appears in between would move the button away from under the pointer, and the press would be lost.
 */
export function useLeft(): Left {
  const [isLeft, setLeft] = useState(false);
  const leave = () => {
    const isPressing = document.querySelector(":active") !== null;
    if (!isPressing) setLeft(true);
    // The click follows the pointer's rise at once.
    else window.addEventListener("pointerup", () => setTimeout(() => setLeft(true)), { once: true });
  };
  return { isLeft, leave, enter: () => setLeft(false) };
}
