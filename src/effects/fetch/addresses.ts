/**
 * Tells public addresses from all others. A name that a model chose must not lead to this machine, its
 * network, or the metadata service that gives a cloud machine its keys.
 */
import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** The registry of special-purpose addresses, as of RFC 6890 and its updates. */
const SPECIAL_IPV4: readonly (readonly [string, number])[] = [
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
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/** Special addresses inside the public range: tunnels that embed other addresses, and documentation. */
const SPECIAL_IPV6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

const special = new BlockList();
for (const [address, bits] of SPECIAL_IPV4) special.addSubnet(address, bits, 'ipv4');
for (const [address, bits] of SPECIAL_IPV6) special.addSubnet(address, bits, 'ipv6');

const openIpv6 = new BlockList();
openIpv6.addSubnet('2000::', 3, 'ipv6');

/** False for a text that is not an address. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !special.check(address, 'ipv4');
  if (!isIPv6(address)) return false;
  return openIpv6.check(address, 'ipv6') && !special.check(address, 'ipv6');
}
