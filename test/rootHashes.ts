/**
 * The block hashes and state roots that tests expect, by name. A change of the default genesis changes no
 * other expectation: inline snapshots have the names (`rootHashNames.ts`). `npx tsx scripts/rootHashes.ts`
 * updates the values.
 *
 * `encoded` is the first eight bytes of the keccak256 of a block's RLP, as snapshots abbreviate it.
 */
export const ROOT_HASHES = {
  genesis: '0xf452c2907e533389c1accdbbf7b66867d2198ba6f20ea65fc1da374fdc42ca7c',
  'genesis: state': '0x931136ed6a97b9b87691416dff0ca6a04d83f04115386aed3d168ecae6731539',
  'genesis: encoded': '0x7e51f4d87a3fcbdd',
  'block 1: randao': '0x5de8bc462851fdf475f15d82392ce708ad95c12648c11687589e5bdfe5cba0da',
  'scene: block 1': '0x73a433bd260bcab80e698117140b763e1a566704b352fea68785e20c24a951d1',
  'scene: block 1, state': '0x5e69c158454e89bc293d7a1c702af66ffd00c345c5c5ec2b0be88a2a835d000a',
  'scene: block 1, encoded': '0x5740f741b61b8ccd',
  'scene: block 2': '0x4c7933eeb66398e8c1657b351956683ce96a38c7a28c1d5e596990acc4e29420',
  'scene: block 2, state': '0x56edaafac30e9f1f4c4c33c5b5baaea52922b4ace0e880a0e593302e9b610062',
  'scene: block 2, randao': '0x25ed7826ea256e8f84acad9746d285328fad83d9c9ce667b68927e1f12c39f35',
  'scene: block 2, encoded': '0x0cf29706d2569b2b',
  'scene: block 3, randao': '0x58c807491bac4f037e49769edfcd6dccda95b637151d6265cc4203cfa3a240ea',
  'scene: empty preconf block': '0xca083a3d3f0712f63969bb3a59c2c2aa5792fd6341d94f7a8200276c90084077',
  'scene: empty preconf block, state': '0x5098ca859f5a915f240e8d785a1dc24f757c212dfced42e455536a4bf42471b8',
  'scene: empty preconf block, encoded': '0x8d7eea29da1a828a',
  'scene: preconf block': '0x689d937fdf9e0f7c68724058f0ba30ba369ff3e71a6fb2eae95074835cdc02b1',
  'scene: preconf block, state': '0xcb5f9983024b9e5f3f6ac1dbf43f6c618ddc4a3522e71fe7a3c97e11e7b7c5d9',
  'scene: preconf block, encoded': '0x1142952c786dedcf',
  'subscriptions: block 3': '0x7e0e4221fc04b80e33d6483df5939c9234f3306646017863290b1df8b0415d35',
  'subscriptions: block 3, state': '0x57c1db52cc342109727e62df4511a405e5fec3bc640a8b25a7b6cfebd4713dd5',
  'subscriptions: full transactions': '0xb34f5f1b0634d9a3d7ce16b2a787d5bdc9100327e3daf1572a64bec2b1542edc',
  'events: preconf block': '0xc8ced88d5562b6dfe5a0db37b2d2a1d2c3cbbe7de54e1210826d86d8021460fd',
  'events: block 1': '0x0a9c4d2808771da30e3afc399ece1a91262454bdcf9b22c054487a0a39a7dfda',
  'events: block 1, state': '0xa8b9654a5df1a9aec8cd2ebcaeb748df7682173e7387a5ebf4631c8c344f1ebf',
  'two slots: block 1, preconf block 0': '0xd45976212a271b51b77a3c491cb516b5421c717f85e31fb881d53b79f53a3d22',
  'two slots: block 1, preconf block 0, state':
    '0x215891f5560f24ec71cbcae9819869576262167ccff9349cfe217f70e0d6f3ae',
  'two slots: block 1, preconf block 1': '0xc73c9566e9a02951b81dffcdc8a7941ba59343a8fe893f5a99076177fd6e4e0f',
  'two slots: block 1, preconf block 1, state':
    '0x1e06f24ad1af20084eef3ef384f30cb84315ba4f5df85f2f715194dfe8574623',
  'two slots: block 1, preconf block 2': '0x65b6e57ab2e8b20d81952e75aa839e8647f12e4c3e58898c9f80d159f4dc24ca',
  'two slots: block 1, preconf block 2, state':
    '0xfa51664eeb469dcd35fd9ccdb6b0238c165832bad28895a02950a29c7288b5bc',
  'two slots: block 1': '0x940f21f6eccc86e65cb43771e086493c0eaa33bc79005bdfa1e60d79160cc65f',
  'two slots: block 1, state': '0x1ba376ec665780b2c1e6bcb2ecc8a74ad35fd88d5bbd834f5629d3171fe1d066',
  'two slots: block 2, preconf block 0': '0x0ffc1a7e726f685b9b2ee302119e6c88554daa7587edac6c46a7c32c3b985647',
  'two slots: block 2, preconf block 0, state':
    '0xb28dffd6f693578ace9953448f0580876cba6e6433212d173240944f421f8572',
  'two slots: block 2': '0xf08b39826e2d97b94c9f5498a5d473a7022dcb0045cca90f97bce9ed3c8c1683',
  'two slots: block 2, state': '0xf67a9f1efd2eb5ee2f6b11a3dbc0716ecfcdbcc29a01d55fb98f0b01128bd0b3',
  'two slots: block 3, preconf block 0': '0x4054958405f75889beb75c43c890b44a949727c1186ebb346945354b36717442',
  'two slots: block 3, preconf block 0, state':
    '0xd53bc11ac8cbb295d9dacf8ece1c6907405f496a8bd4cdc1c1fe8f6b275b51bd',
  'determinism: last block': '0x6b7d9d0309390156959218f3616859e7723d4e892a2c518fcba25fb237a08222',
  'cachedFork: block 2': '0x40bda7d6ae292a052d89cbf7d85612cfc5647c5ad8ae4228aa16098dcbebe894',
  'mine: head': '0x52ab3b1a27af0dd99c60d875c16d9c6a7a6445db711ba9658a39572db36ac6bf',
  'package: block 1': '0x0ed0cb48f503da8675e5c7361d30a47ec52f78b153e1b5883417a4a62b23d00a',
} as const
