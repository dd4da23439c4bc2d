import { createContext, lazy, type ReactNode, Suspense, useCallback, useContext, useState } from "react";

/** Loaded with the first question: the sign-in page needs none. */
const ConfirmDialog = lazy(async () => ({ default: (await import("./ConfirmDialog.tsx")).ConfirmDialog }));

export type Question = {
  title: string;
  /** What will happen, and to how many. */
  body: ReactNode;
  /** The verb on the button: "Delete 3 channels". */
  action: string;
  isDangerous?: boolean;
};

type Ask = (question: Question) => Promise<boolean>;

const Context = createContext<Ask>(async () => false);

/** Asks before something that cannot be taken back; resolves with the answer. */
export const useConfirm = (): Ask => useContext(Context);

/** Holds the one question that is open. */
export const ConfirmProvider = ({ children }: { children: ReactNode }) => {
  const [open, setOpen] = useState<(Question & { answer: (yes: boolean) => void }) | null>(null);
  const ask = useCallback<Ask>((question) => new Promise((answer) => setOpen({ ...question, answer })), []);
  const answer = (yes: boolean) => {
    open?.answer(yes);
    setOpen(null);
  };
  return (
    <Context value={ask}>
      {children}
      {open && (
        <Suspense>
          <ConfirmDialog question={open} onAnswer={answer} />
        </Suspense>
      )}
    </Context>
  );
};
