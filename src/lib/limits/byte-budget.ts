/** Whoever has a share, by an id or a name. */
export type BudgetOwner = number | string;

type Lease = { readonly owner: BudgetOwner; bytes: number; users: number };

/**
 * Memory that many share: none may take more than is left, and no owner more than a share. The first of an owner may take more
 * than the share, and a single one more than there is, as else nobody could ever serve it.
 */
export class ByteBudget {
  readonly #leases = new Map<object, Lease>();
  readonly #byOwner = new Map<BudgetOwner, number>();
  /** Bytes that are taken now; changed only here. */
  usedBytes = 0;

  constructor(
    private readonly totalBytes: number,
    private readonly shareBytes: number,
  ) {}

  /** Takes bytes for `holder`, in addition to what it has; false: there are none left for it, and it keeps what it has. */
  take(holder: object, owner: BudgetOwner, bytes: number): boolean {
    const lease = this.#leases.get(holder);
    const ownBytes = lease?.bytes ?? 0;
    const ownerBytes = this.#byOwner.get(owner) ?? 0;
    const isOver = this.usedBytes > ownBytes && this.usedBytes + bytes > this.totalBytes;
    const isOverShare = ownerBytes > ownBytes && ownerBytes + bytes > this.shareBytes;
    if (isOver || isOverShare) return false;
    if (lease) lease.bytes += bytes;
    else if (bytes > 0) this.#leases.set(holder, { owner, bytes, users: 1 });
    this.#byOwner.set(owner, ownerBytes + bytes);
    this.usedBytes += bytes;
    return true;
  }

  /** Another part of the program needs what `holder` took: it stays taken until that releases it, too. */
  keep(holder: object): void {
    const lease = this.#leases.get(holder);
    if (lease) lease.users += 1;
  }

  /** One of those who need it has ended; the last one gives everything back. */
  release(holder: object): void {
    const lease = this.#leases.get(holder);
    if (!lease) return;
    lease.users -= 1;
    if (lease.users > 0) return;
    this.#leases.delete(holder);
    this.usedBytes -= lease.bytes;
    const rest = (this.#byOwner.get(lease.owner) ?? 0) - lease.bytes;
    if (rest > 0) this.#byOwner.set(lease.owner, rest);
    else this.#byOwner.delete(lease.owner);
  }
}
