/**
 * The block hashes and state roots that tests expect, by name. A change of the default genesis changes no
 * other expectation: inline snapshots have the names (`rootHashNames.ts`). `npx tsx scripts/rootHashes.ts`
 * updates the values.
 *
 * `encoded` is the first eight bytes of the keccak256 of a block's RLP, as snapshots abbreviate it.
 */
export const ROOT_HASHES = {
  genesis: '0x7ad904d742c61c978d0f57e841fdaf2a4ed79c2c0397fd25d25e1e89685238a4',
  'genesis: state': '0xdd964aa7f8bd1d41475036e20b8c883acaf66e3343eef0d9a143f3e7f6866c8d',
  'genesis: encoded': '0x1b039f448c16fb21',
  'block 1: randao': '0x60da36493900813e534e5b6af27700eb4615baa34932b4acd8ab44bb99000423',
  'scene: block 1': '0x8056dfff86752b90bb5b1337445ffd942ae7edd217a180455849011f48132730',
  'scene: block 1, state': '0xf57886ced3ff7cc30aa766b2cf9010727cbc23ff56e096706e90a7865fe178cd',
  'scene: block 1, encoded': '0x672da1c798559293',
  'scene: block 2': '0xce25c7ac1490d404f0c5e00f17d3e014df7d84fc32434f52bde32e13f62cd5cc',
  'scene: block 2, state': '0xd2f5b8fde7cd459391ff8ad2fd0e26f68bf668927692a163225905df9b3a222f',
  'scene: block 2, randao': '0x0e0d0a4ab37e516cff927e9da32574f4aed6139ae9d7950a5e48ffce1490bdc9',
  'scene: block 2, encoded': '0xa9e53371f7e1996a',
  'scene: block 3, randao': '0x0ed5e417c02da50573f4471492f5c0c5fc2413c53df211db4d34a19cec60f181',
  'scene: empty snapshot': '0xbccf953531e1bcbfe52cda1d037364e70a79b94d735e034ee35c47677d3f6415',
  'scene: empty snapshot, state': '0x917a88dbf7a898fc1fc7a8337d88dccc608470f2e7b0bb2b9267d749da8cee12',
  'scene: empty snapshot, encoded': '0x8d20d7c3309881e4',
  'scene: snapshot': '0x660e7156d36da6c21d9cc8bccd99a3aba6566d93ec42393fb7927bb06f18afca',
  'scene: snapshot, state': '0x316a1f59c5a095fccd2e8fba86ce28729e8a7e246f4e9ea6e4617680f81898b9',
  'scene: snapshot, encoded': '0x559f7a3aba70409d',
  'subscriptions: block 3': '0xb9e5dc2f81937144b8447dde8bef0bc435c015afd031eb7e43877dcc534597fe',
  'subscriptions: block 3, state': '0xdfae43db03d285c92b8bea85827bdd553e1e3dfba38823107a311eb02b5dd5e1',
  'subscriptions: full transactions': '0x59bbc09bfe552553194cbbb29945d9c70032520d7989156ad6d79478cf3b9dda',
  'events: snapshot': '0x8c9880ae897e3e1ba7e95f0ee2dc8e82b5ad466245504378f0a71d88768cee11',
  'events: block 1': '0x33fac1b8c80cb89c2537fee5cefed8c20ccfa0129ec295acaeb82e0c94acfeed',
  'events: block 1, state': '0x1376cc838bebb9965379cb7713a65c7e831f5d5fc205fd110a3458a5b84982fc',
  'two slots: block 1, snapshot 0': '0x69b789c8aa92c7fb99af2fc355dd5f4e37e71ff992c52b25ac90dd28526c02ba',
  'two slots: block 1, snapshot 0, state':
    '0x9f2242f873351ed130f0534596e7eee40a2e9560da0dbc939c87fea40bef98aa',
  'two slots: block 1, snapshot 1': '0x4f4a3c1eaa5b361b7e3bf7e87695f6320af20d9eb67a3df1455e4bba253e5f48',
  'two slots: block 1, snapshot 1, state':
    '0x1409641686ac19d4b9ad2fbbac8c58bfee0477cb9d6093977e99b39c93177ca4',
  'two slots: block 1, snapshot 2': '0xbb2dbb242d7e4853be7b21deef34cad08352d0454ef532490b15813b7b7f97df',
  'two slots: block 1, snapshot 2, state':
    '0x77e8ff6030f0108bc74a3b4fcdf285315c2e6f1df108cf293ebbb3c3c69a0a9d',
  'two slots: block 1': '0xe63d6fe4a497e9e217625b17672602ebae938dcd4f45014e44fd6c54bf92f8d8',
  'two slots: block 1, state': '0xd338603aadb0bcd56303b7d872eb0aee923c38e815cced9b827ccbba7729fb59',
  'two slots: block 2, snapshot 0': '0xa377122cdfc32ea4dfa6871df567c519ba2a337603c06ad006a76c28df12cab0',
  'two slots: block 2, snapshot 0, state':
    '0x153c700acb6271760e3d350339dad2209bc0e7e5afd46ac0a1a30d279e358d8f',
  'two slots: block 2': '0x7b9d0d0b9482a141a6e5e3c8734ad3e6cc518499d6bfab5993ed88d5d908d5a8',
  'two slots: block 2, state': '0x7ec631daf033b825fb6a33147dfa14dac97b03788b1bdfb1a8e3a153a0518b84',
  'two slots: block 3, snapshot 0': '0xdcf57686105841fad95b06a62defd641e0f05f4c33ea034de9a9c243cb2d3ad5',
  'two slots: block 3, snapshot 0, state':
    '0xf642f3162a836971123723879a16f3f34446d9561988f172bb0c0852ec710fdf',
  'determinism: last block': '0xa113ff1644c17bb39cfaf401c96075c2c8128ff2e5127d836c4dc24db1f8d0a2',
  'cachedFork: block 2': '0x6fe4ade347e7d178c69f54f1d399eb8b8688679467f1bfdd1cebbf5619188373',
  'mine: head': '0x40b449bbe95e44719227e216861af2698b6f458fd08f59af81de5df18ac54985',
  'package: block 1': '0x0126170530b9550c5df99f8b94607c2c38268a9dd2e2510d755a9e5981211901',
} as const
