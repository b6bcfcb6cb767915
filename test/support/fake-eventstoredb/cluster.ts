import type { ClusterInfo } from '@eventstore/db-client/generated/gossip_pb.js';
import gossipPb from '@eventstore/db-client/generated/gossip_pb.js';
import type { SupportedMethods } from '@eventstore/db-client/generated/serverfeatures_pb.js';
import featuresPb from '@eventstore/db-client/generated/serverfeatures_pb.js';
import type { Empty } from '@eventstore/db-client/generated/shared_pb.js';
import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import type { Metadata as Headers, handleUnaryCall } from '@grpc/grpc-js';
import { Metadata, status } from '@grpc/grpc-js';
import type { Faults } from './faults.ts';

const LEADER = 8;
const FOLLOWER = 6;

/** A node in gossip. */
export interface Member {
  address: string;
  port: number;
  isLeader: boolean;
}

/** Answers gossip requests with these members. */
export function gossipService(members: () => readonly Member[]): handleUnaryCall<Empty, ClusterInfo> {
  return (_call, answer) => {
    const list = members().map(({ address, port, isLeader }, index) =>
      new gossipPb.MemberInfo()
        .setInstanceId(new sharedPb.UUID().setString(`00000000-0000-4000-8000-00000000000${index + 1}`))
        .setState(isLeader ? LEADER : FOLLOWER)
        .setIsAlive(true)
        .setHttpEndPoint(new gossipPb.EndPoint().setAddress(address).setPort(port)),
    );
    answer(null, new gossipPb.ClusterInfo().setMembersList(list));
  };
}

/** Answers with the server's supported methods. */
export const supportedMethods: handleUnaryCall<Empty, SupportedMethods> = (_call, answer) => {
  const supported = new featuresPb.SupportedMethods().setEventStoreServerVersion('23.10.0');
  for (const method of ['append', 'batchappend', 'read']) {
    const entry = new featuresPb.SupportedMethod()
      .setServiceName('event_store.client.streams.streams')
      .setMethodName(method);
    supported.addMethods(entry);
  }
  answer(null, supported);
};

/** Errors of 23.10 for calls that require a leader, while there is none. */
export const WITHOUT_LEADER = {
  /** The node takes part in an election, or has just started. */
  NOT_READY: { code: status.UNAVAILABLE, details: 'Server Is Not Ready' },
  /** The node has lost its leader and has not noticed yet. */
  NO_LEADER: { code: status.UNKNOWN, details: 'No leader info available in response' },
} as const;

/** A node's refusal of a call that requires the leader: a follower names the leader, if it knows one. */
export function notLeader(called: Headers, { leader, withoutLeader }: Faults) {
  if (called.get('requires-leader')[0] !== 'true') return null;
  if (withoutLeader) return WITHOUT_LEADER[withoutLeader];
  if (!leader) return null;
  const metadata = new Metadata();
  metadata.set('exception', 'not-leader');
  metadata.set('leader-endpoint-host', leader.host);
  metadata.set('leader-endpoint-port', String(leader.port));
  return { code: status.NOT_FOUND, details: 'Leader info available', metadata };
}
