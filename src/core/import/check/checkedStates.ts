import { ownersOf, type StorageOwners, withOwners } from '../../../ethereum/state/difference.ts'
