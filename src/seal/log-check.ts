import { isDeepStrictEqual } from 'node:util';
import { CHANGES, type ChangeDocument, changeId } from '../projections/history/change-document.ts';
import type { AppliedLeaves } from '../projections/transparency/applied-leaves.ts';
import { recomputedLeaf } from '../projections/transparency/event-leaf.ts';
import { lastGoodSize } from '../projections/transparency/last-good-seal.ts';
import { readRoot, readTree } from '../projections/transparency/organization-tree.ts';
import type { LogSealedDocument, SealDocument } from '../projections/transparency/seal-documents.ts';
import { StreamDamaged } from '../stores/errors.ts';
import type { EventStore, StoredEvent, StorePosition } from '../stores/event-store.ts';
import type { Checkpoint, ReadModels } from '../stores/read-store.ts';
import { isAuthentic } from '../trail/hash.ts';
import { nodeCrypto } from '../trail/node/node-crypto.ts';
import { GrowingTree } from '../trail/seals/merkle.ts';
import { sealStream, type TreeHead } from '../trail/seals/seal-events.ts';
import { LogTrees } from './log-trees.ts';
import type { SealState } from './seal-state.ts';
import type { SealStop } from './seal-stop.ts';

/**
 * Checks that the read models hold what the log says, before a seal signs it. The check begins at the newest seal and
 * takes all later events from the log. Nothing is taken from the read models that a seal or the log doesn't confirm.
 */
export class LogCheck {
  private readonly trees: LogTrees;

  constructor(private readonly events: Pick<EventStore, 'readAll' | 'readStream' | 'compareStorePositions'>) {
    this.trees = new LogTrees(events);
  }

  /** Takes events as the projections of this instance read them. Without them, each check reads the log. */
  receive(applied: AppliedLeaves): void {
    this.trees.receive(applied);
  }

  /**
   * Prepares the checks of some organizations, so that all of them together read the log at most once.
   * @returns the reasons why events of these organizations can't be sealed
   */
  async prepare(models: ReadModels, states: readonly SealState[]): Promise<SealStop[]> {
    const stops: SealStop[] = [];
    const sound: Checkpoint[] = [];
    for (const state of states) {
      const stop = await this.checkSealed(models, state);
      if (stop === null) sound.push(state.checkpoint);
      else stops.push(stop);
    }
    const newest = sound.reduce<StorePosition | null>(
      (a, { storePosition: b }) => (a !== null && this.events.compareStorePositions(a, b) > 0 ? a : b),
      null,
    );
    const organizationIds = sound.map(({ organizationId }) => organizationId);
    if (newest !== null) await this.trees.catchUp(organizationIds, newest);
    return stops;
  }

  /**
   * Returns the tree head of a prepared organization, if the read models agree with it. Null if they are about to apply its
   * newest events.
   * @param now the organization's checkpoint when this is called
   */
  async head(models: ReadModels, state: SealState, now: Checkpoint): Promise<TreeHead | SealStop | null> {
    const organization_id = now.organizationId;
    const logTree = this.trees.get(organization_id);
    if (logTree === null) return null;
    const { tree, lastEvent } = logTree;
    if (lastEvent !== null && this.events.compareStorePositions(lastEvent, now.storePosition) > 0) return null;
    const head = { size: tree.size, root: tree.root() };
    const hasSameSize = head.size >= state.checkpoint.position && head.size <= now.position;
    if (hasSameSize && (await readRoot(models, organization_id, head.size)) === head.root) return head;
    // Grown again from the log before the next comparison.
    this.trees.delete(organization_id);
    const from = (state.newestSeal?.data.size ?? 0) + 1;
    return { organization_id, why: 'LOG', from, until: Math.max(from, now.position) };
  }

  /** Checks the newest events of the seal stream, and that the read models have what the newest seal covers. */
  private async checkSealed(models: ReadModels, state: SealState): Promise<SealStop | null> {
    const { checkpoint, newestEvent, newestSeal } = state;
    const { organizationId: organization_id } = checkpoint;
    for (const document of new Set([newestSeal, newestEvent])) {
      if (document === null || (await this.isInLog(organization_id, document))) continue;
      return { organization_id, why: 'LOG', from: document.position, until: document.position };
    }
    if (newestSeal === null) {
      if (this.trees.get(organization_id) === null) this.trees.set(organization_id, new GrowingTree(nodeCrypto), null);
      return null;
    }
    const { size, root } = newestSeal.data;
    if ((await readRoot(models, organization_id, size)) !== root)
      return {
        organization_id,
        why: 'SEAL',
        from: (await lastGoodSize(models, organization_id, size)) + 1,
        until: size,
      };
    const hasTree =
      this.trees.get(organization_id) !== null || (await this.startTree(models, organization_id, newestSeal));
    return hasTree ? null : { organization_id, why: 'LOG', from: size, until: size };
  }

  /**
   * Starts a tree with the events that a seal covers. Returns false if the last one that the read models have isn't the
   * log's: reading the log from there could miss some.
   */
  private async startTree(models: ReadModels, organizationId: string, { data }: LogSealedDocument): Promise<boolean> {
    const tree = await readTree(models, organizationId, data.size - 1);
    const lastEvent = await this.eventAt(models, organizationId, data.size);
    if (tree === null || lastEvent === null) return false;
    tree.append(recomputedLeaf(lastEvent));
    if (tree.root() !== data.root) return false;
    this.trees.set(organizationId, tree, lastEvent.storePosition);
    return true;
  }

  /** Returns the event that the read models have at a position, from the log. */
  private async eventAt(models: ReadModels, organizationId: string, position: number): Promise<StoredEvent | null> {
    const [row] = await models.get(CHANGES.name, [changeId(organizationId, position)]);
    if (row === undefined) return null;
    const { stream, stream_revision } = row.doc as unknown as ChangeDocument;
    return this.readEvent(stream, stream_revision);
  }

  private async isInLog(organizationId: string, document: SealDocument): Promise<boolean> {
    const event = await this.readEvent(sealStream(organizationId), document.revision);
    return (
      event?.id === document.event_id &&
      event.data !== null &&
      event.metadata.hash === document.hash &&
      isAuthentic(nodeCrypto, event) &&
      isDeepStrictEqual(event.data, document.data)
    );
  }

  /** Reads an event from the log. A damaged stream has none: it must not keep other organizations from being sealed. */
  private async readEvent(stream: string, revision: number): Promise<StoredEvent | null> {
    try {
      return (await this.events.readStream(stream, revision, 1))[0] ?? null;
    } catch (error) {
      if (error instanceof StreamDamaged) return null;
      throw error;
    }
  }
}
