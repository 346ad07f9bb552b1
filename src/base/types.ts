/** Scalars and small shapes shared by all wings; hex strings are lower case (spec.md §2). */

/** A hex string with the `0x` prefix. */
export type Hex = `0x${string}`

/** A 20-byte address, lower case. */
export type Address = Hex

/** A 32-byte hash, lower case. */
export type Hash = Hex

/** The views of a chain: `standard` shows sealed blocks, `preconf` also the block under construction. */
export type ViewKind = 'standard' | 'preconf'

/** A named position on the chain (spec.md §2.1). */
export type BlockTag = 'latest' | 'pending' | 'safe' | 'finalized' | 'earliest'

/** A block by number, tag or hash, or as the object of EIP-1898. */
export type BlockParameter =
  | BlockTag
  | Hex
  | { readonly blockNumber: Hex }
  | { readonly blockHash: Hash; readonly requireCanonical?: boolean }

/** One account of an EIP-2930 access list. */
export interface AccessListEntry {
  readonly address: Address
  readonly storageKeys: readonly Hash[]
}

/** A prefunded account; the key is for tests only. */
export interface DevAccount {
  readonly address: Address
  readonly privateKey: Hex
}

/** The prefunded accounts of a chain. Typed as at least one, although options can ask for none. */
export type DevAccounts = readonly [DevAccount, ...DevAccount[]]

/** The wording of answers: of preseal's specification, of go-ethereum or of Hardhat. */
export type Dialect = 'preconf' | 'geth' | 'hardhat'

/** The EVMs that a chain can execute with. */
export type EngineName = 'preseal' | 'ethereumjs'

/** A parsed geth `genesis.json`. */
export interface GethGenesis {
  readonly config: Readonly<Record<string, unknown>> & { readonly chainId: number }
  readonly alloc: Readonly<
    Record<
      string,
      {
        readonly balance?: string
        readonly nonce?: string
        readonly code?: string
        readonly storage?: Readonly<Record<string, string>>
      }
    >
  >
  readonly gasLimit: string
  readonly timestamp?: string
  readonly nonce?: string
  readonly difficulty?: string
  readonly mixHash?: string
  readonly coinbase?: string
  readonly extraData?: string
  readonly baseFeePerGas?: string | null
  readonly excessBlobGas?: string | null
  readonly blobGasUsed?: string | null
}

/** The same type without `readonly`, to build a value field by field. */
export type Mutable<T> = { -readonly [Field in keyof T]: T[Field] }

/** A value, or a promise of it. */
export type MaybePromise<T> = T | Promise<T>
