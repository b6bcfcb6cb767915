import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** IPv4 networks outside the public Internet: IANA's special-purpose registry (RFC 6890) and multicast. */
const V4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
];

/** Special networks within 2000::/3, such as 6to4 and Teredo, which embed an IPv4 address. */
const V6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
];

const PRIVATE_V4 = new BlockList();
for (const [network, bits] of V4) PRIVATE_V4.addSubnet(network, bits, 'ipv4');

/** The global unicast network. Loopback, mapped, NAT64, unique local, link-local and multicast addresses are outside it. */
const GLOBAL_V6 = new BlockList();
GLOBAL_V6.addSubnet('2000::', 3, 'ipv6');
const SPECIAL_V6 = new BlockList();
for (const [network, bits] of V6) SPECIAL_V6.addSubnet(network, bits, 'ipv6');

/**
 * Returns true for an IP address of the public Internet. Returns false for host names, addresses in brackets and
 * addresses with a zone (fe80::1%eth0).
 */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !PRIVATE_V4.check(address, 'ipv4');
  if (!isIPv6(address) || address.includes('%')) return false;
  return GLOBAL_V6.check(address, 'ipv6') && !SPECIAL_V6.check(address, 'ipv6');
}
