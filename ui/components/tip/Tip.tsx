import {
  cloneElement,
  lazy,
  type ReactElement,
  type ReactNode,
  type Ref,
  Suspense,
  type SyntheticEvent,
  useId,
  useRef,
  useState,
} from "react";
import type { TriggerEvent, Triggers } from "./TipText.tsx";

/** Loaded with the first tooltip that somebody points at. */
const TipText = lazy(async () => ({ default: (await import("./TipText.tsx")).TipText }));

type Props = Readonly<{
  title: ReactNode;
  /** Describes the child, which has a name of its own; otherwise a text names it. */
  describeChild?: boolean;
  placement?: "bottom-start" | "right";
  /** How long the pointer rests before the text appears; also right after another one. */
  delayMs?: number;
  children: ReactElement<Triggers & { title?: string | undefined; ref?: Ref<HTMLElement | null> }>;
}>;

/** A text that appears on hover, focus and long touch. Until then it costs no more than the child that it surrounds. */
export const Tip = ({ title, describeChild = false, children, ...others }: Props) => {
  const id = useId();
  const node = useRef<HTMLElement>(null);
  const triggers = useRef<Triggers>(null);
  /** What happened before the text was loaded. */
  const missed = useRef<(readonly [TriggerEvent, SyntheticEvent])[]>([]);
  const [isNear, setNear] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const on = (name: TriggerEvent) => (event: SyntheticEvent) => {
    children.props[name]?.(event);
    if (triggers.current) return triggers.current[name]?.(event);
    missed.current.push([name, event]);
    setNear(true);
  };
  const text = typeof title === "string" ? title : undefined;
  const label = describeChild
    ? { title: isOpen ? undefined : text, "aria-describedby": isOpen ? id : undefined }
    : { "aria-label": text, "aria-labelledby": isOpen && text === undefined ? id : undefined };
  return (
    <>
      {cloneElement(children, {
        ...label,
        ...children.props,
        onMouseOver: on("onMouseOver"),
        onMouseLeave: on("onMouseLeave"),
        onFocus: on("onFocus"),
        onBlur: on("onBlur"),
        onTouchStart: on("onTouchStart"),
        onTouchEnd: on("onTouchEnd"),
        ref: node,
      })}
      {isNear && (
        <Suspense>
          <TipText {...others} {...{ id, title, describeChild, node, triggers, missed }} onOpen={setOpen} />
        </Suspense>
      )}
    </>
  );
};
