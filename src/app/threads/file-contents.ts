import { StoreUnavailable } from '../../stores/errors.ts';

/** Bytes that are sent to the main thread together. A message costs more than this copy. */
const MESSAGE_BYTES = 65_536;

type Content = AsyncIterator<string | Uint8Array>;

/** The contents of the files that this thread has opened. Each is read only as fast as the main thread asks. */
export class FileContents {
  private readonly contents = new Map<number, Content>();

  /** Keeps a file's content until it is read or closed. */
  open(id: number, content: Content): void {
    this.contents.set(id, content);
  }

  /** Returns the next bytes of a file; null after its end. */
  async next(id: number): Promise<Uint8Array | null> {
    const content = this.contents.get(id);
    if (content === undefined) throw new StoreUnavailable('this file is not open any more');
    const parts: Uint8Array[] = [];
    try {
      for (let bytes = 0; bytes < MESSAGE_BYTES; bytes += parts.at(-1)!.length) {
        const { done, value } = await content.next();
        if (done) break;
        parts.push(typeof value === 'string' ? Buffer.from(value) : value);
      }
    } catch (error) {
      this.contents.delete(id);
      throw error;
    }
    if (parts.length === 0) this.contents.delete(id);
    // A copy, because a message has the whole buffer of a part.
    return parts.length === 0 ? null : Buffer.concat(parts);
  }

  /** Closes a file whose rest nobody reads. */
  close(id: number): void {
    void this.contents.get(id)?.return?.();
    this.contents.delete(id);
  }
}
