/** A file's content in another thread. */
export interface ContentSource {
  /** Returns the next bytes; null after the end. */
  next(): Promise<Uint8Array | null>;
  /** Says that nobody reads the rest. */
  close(): void;
}

/** Reads a file's content as fast as it is requested. */
export class RemoteContent implements AsyncIterableIterator<Uint8Array> {
  private hasEnded = false;

  constructor(private readonly source: ContentSource) {}

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const value = this.hasEnded ? null : await this.source.next();
    if (value !== null) return { done: false, value };
    this.hasEnded = true;
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (!this.hasEnded) this.source.close();
    this.hasEnded = true;
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
