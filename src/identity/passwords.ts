import { unbuilt } from './unbuilt.ts';

/** What does the work: @node-rs/argon2, or a test that counts. */
export interface Hasher {
  hash(password: string): Promise<string>;
  verify(hash: string, password: string): Promise<boolean>;
}

/** argon2id, one at a time and off the event loop, in a queue with a bound. */
export class Passwords {
  constructor(private readonly hasher?: Hasher) {}

  /** @throws Refusal rate_limited when too many wait */
  hash(password: string): Promise<string> {
    return unbuilt(this.hasher, password);
  }

  /** Takes as long for nobody (null) as for somebody. @throws Refusal rate_limited when too many wait */
  matches(password: string, hash: string | null): Promise<boolean> {
    return unbuilt(password, hash);
  }
}

/** 12 to 200 characters, neither the person's own data nor obviously common. @throws Refusal invalid_input */
export function refuseBadPassword(password: string, person: { name: string | null; email: string | null }): void {
  unbuilt(password, person);
}
