// SPDX-License-Identifier: MIT
pragma solidity ^0.8.27;

import {AccessControl} from "@openzeppelin/contracts/access/AccessControl.sol";
import {Ownable, Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {VestingWallet} from "@openzeppelin/contracts/finance/VestingWallet.sol";
import {Governor} from "@openzeppelin/contracts/governance/Governor.sol";
import {GovernorCountingSimple} from "@openzeppelin/contracts/governance/extensions/GovernorCountingSimple.sol";
import {GovernorSettings} from "@openzeppelin/contracts/governance/extensions/GovernorSettings.sol";
import {GovernorVotes} from "@openzeppelin/contracts/governance/extensions/GovernorVotes.sol";
import {TimelockController} from "@openzeppelin/contracts/governance/TimelockController.sol";
import {IVotes} from "@openzeppelin/contracts/governance/utils/IVotes.sol";
import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";
import {ERC1967Proxy} from "@openzeppelin/contracts/proxy/ERC1967/ERC1967Proxy.sol";
import {BeaconProxy} from "@openzeppelin/contracts/proxy/beacon/BeaconProxy.sol";
import {UpgradeableBeacon} from "@openzeppelin/contracts/proxy/beacon/UpgradeableBeacon.sol";
import {ProxyAdmin} from "@openzeppelin/contracts/proxy/transparent/ProxyAdmin.sol";
import {TransparentUpgradeableProxy} from "@openzeppelin/contracts/proxy/transparent/TransparentUpgradeableProxy.sol";
import {Initializable} from "@openzeppelin/contracts/proxy/utils/Initializable.sol";
import {ERC1155} from "@openzeppelin/contracts/token/ERC1155/ERC1155.sol";
import {ERC1155Supply} from "@openzeppelin/contracts/token/ERC1155/extensions/ERC1155Supply.sol";
import {ERC1155Holder} from "@openzeppelin/contracts/token/ERC1155/utils/ERC1155Holder.sol";
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Burnable} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Burnable.sol";
import {ERC20Capped} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Capped.sol";
import {ERC20Pausable} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Pausable.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";
import {ERC20Votes} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Votes.sol";
import {ERC4626, IERC20} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {ERC721Enumerable} from "@openzeppelin/contracts/token/ERC721/extensions/ERC721Enumerable.sol";
import {ERC721Holder} from "@openzeppelin/contracts/token/ERC721/utils/ERC721Holder.sol";
import {Address} from "@openzeppelin/contracts/utils/Address.sol";
import {Create2} from "@openzeppelin/contracts/utils/Create2.sol";
import {Multicall} from "@openzeppelin/contracts/utils/Multicall.sol";
import {Nonces} from "@openzeppelin/contracts/utils/Nonces.sol";
import {Panic} from "@openzeppelin/contracts/utils/Panic.sol";
import {ReentrancyGuard} from "@openzeppelin/contracts/utils/ReentrancyGuard.sol";
import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {MerkleProof} from "@openzeppelin/contracts/utils/cryptography/MerkleProof.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {BitMaps} from "@openzeppelin/contracts/utils/structs/BitMaps.sol";
import {Checkpoints} from "@openzeppelin/contracts/utils/structs/Checkpoints.sol";
import {DoubleEndedQueue} from "@openzeppelin/contracts/utils/structs/DoubleEndedQueue.sol";
import {EnumerableMap} from "@openzeppelin/contracts/utils/structs/EnumerableMap.sol";
import {EnumerableSet} from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";
import {MerkleTree} from "@openzeppelin/contracts/utils/structs/MerkleTree.sol";

contract Token is ERC20Burnable, ERC20Capped, ERC20Pausable, ERC20Permit, ERC20Votes, Multicall {
    constructor(uint256 cap) ERC20("Token", "TKN") ERC20Capped(cap) ERC20Permit("Token") {}

    function mint(address to, uint256 value) external {
        _mint(to, value);
    }

    function pause() external {
        _pause();
    }

    function unpause() external {
        _unpause();
    }

    function nonces(address owner) public view override(ERC20Permit, Nonces) returns (uint256) {
        return super.nonces(owner);
    }

    function _update(address from, address to, uint256 value)
        internal
        override(ERC20, ERC20Capped, ERC20Pausable, ERC20Votes)
    {
        super._update(from, to, value);
    }
}

contract Vault is ERC4626 {
    constructor(IERC20 asset) ERC20("Vault", "VLT") ERC4626(asset) {}
}

contract Collectible is ERC721Enumerable {
    constructor() ERC721("Collectible", "CLC") {}

    function mint(address to, uint256 id) external {
        _mint(to, id);
    }

    function safeMint(address to, uint256 id) external {
        _safeMint(to, id);
    }

    function burn(uint256 id) external {
        _burn(id);
    }
}

contract Items is ERC1155Supply {
    constructor() ERC1155("ipfs://items/{id}") {}

    function mint(address to, uint256 id, uint256 value) external {
        _mint(to, id, value, "");
    }

    function mintBatch(address to, uint256[] memory ids, uint256[] memory values) external {
        _mintBatch(to, ids, values, "");
    }

    function burn(address from, uint256 id, uint256 value) external {
        _burn(from, id, value);
    }
}

contract Holder is ERC721Holder, ERC1155Holder {
    receive() external payable {}
}

/// Accepts neither tokens nor ether.
contract Refuser {
    error Refused();

    function fail(uint256 way) external payable returns (uint256) {
        if (way == 0) revert Refused();
        if (way == 1) revert("Refuser: refused");
        if (way == 2) assert(false);
        if (way == 3) {
            assembly ("memory-safe") {
                revert(0, 0)
            }
        }
        if (way == 4) {
            assembly ("memory-safe") {
                invalid()
            }
        }
        while (way == 5) {}
        return way;
    }
}

contract Owned is Ownable2Step {
    uint256 public value;

    constructor(address owner) Ownable(owner) {}

    function set(uint256 next) external onlyOwner {
        value = next;
    }
}

contract Controlled is AccessControl {
    bytes32 public constant WRITER = keccak256("WRITER");
    uint256 public value;

    constructor() {
        _grantRole(DEFAULT_ADMIN_ROLE, msg.sender);
    }

    function set(uint256 next) external onlyRole(WRITER) {
        value = next;
    }

    function setRoleAdmin(bytes32 role, bytes32 admin) external onlyRole(DEFAULT_ADMIN_ROLE) {
        _setRoleAdmin(role, admin);
    }
}

contract Council is Governor, GovernorSettings, GovernorCountingSimple, GovernorVotes {
    constructor(IVotes token) Governor("Council") GovernorSettings(1, 10, 0) GovernorVotes(token) {}

    function quorum(uint256) public pure override returns (uint256) {
        return 100;
    }

    function votingDelay() public view override(Governor, GovernorSettings) returns (uint256) {
        return super.votingDelay();
    }

    function votingPeriod() public view override(Governor, GovernorSettings) returns (uint256) {
        return super.votingPeriod();
    }

    function proposalThreshold() public view override(Governor, GovernorSettings) returns (uint256) {
        return super.proposalThreshold();
    }
}

contract Timelock is TimelockController {
    constructor(uint256 delay, address[] memory proposers, address[] memory executors, address admin)
        TimelockController(delay, proposers, executors, admin)
    {}
}

contract Vesting is VestingWallet {
    constructor(address to, uint64 start, uint64 duration) payable VestingWallet(to, start, duration) {}
}

contract Counter is Initializable {
    uint256 public count;

    event Increased(uint256 count);

    function initialize(uint256 start) external initializer {
        count = start;
    }

    function increase() external payable virtual {
        emit Increased(++count);
    }

    function version() external pure virtual returns (string memory) {
        return "V1";
    }
}

contract CounterV2 is Counter {
    function increase() external payable override {
        count += 10;
        emit Increased(count);
    }

    function version() external pure override returns (string memory) {
        return "V2";
    }
}

contract Factory {
    event Created(address at);

    function clone(address implementation, bytes32 salt) external {
        emit Created(Clones.cloneDeterministic(implementation, salt));
    }

    function predict(address implementation, bytes32 salt) external view returns (address) {
        return Clones.predictDeterministicAddress(implementation, salt);
    }

    function deploy(uint256 amount, bytes32 salt, bytes memory code) external payable {
        emit Created(Create2.deploy(amount, salt, code));
    }

    function computeAddress(bytes32 salt, bytes32 codeHash) external view returns (address) {
        return Create2.computeAddress(salt, codeHash);
    }
}

contract Caller {
    event Returned(bytes data);

    receive() external payable {}

    function functionCall(address target, bytes calldata data) external {
        emit Returned(Address.functionCall(target, data));
    }

    function functionCallWithValue(address target, bytes calldata data, uint256 value) external {
        emit Returned(Address.functionCallWithValue(target, data, value));
    }

    function functionStaticCall(address target, bytes calldata data) external view returns (bytes memory) {
        return Address.functionStaticCall(target, data);
    }

    function functionDelegateCall(address target, bytes calldata data) external {
        emit Returned(Address.functionDelegateCall(target, data));
    }

    function sendValue(address payable to, uint256 value) external {
        Address.sendValue(to, value);
    }
}

contract Guarded is ReentrancyGuard {
    uint256 public counter;

    function increase() external nonReentrant {
        counter += 1;
    }

    function recurse(uint256 times) external nonReentrant {
        counter += 1;
        if (times > 0) this.recurse(times - 1);
    }
}

contract Tree {
    using MerkleTree for MerkleTree.Bytes32PushTree;

    MerkleTree.Bytes32PushTree private _tree;

    event LeafInserted(bytes32 leaf, uint256 index, bytes32 root);

    bytes32 public root;

    function setup(uint8 depth, bytes32 zero) external {
        root = _tree.setup(depth, zero);
    }

    function push(bytes32 leaf) external {
        (uint256 index, bytes32 current) = _tree.push(leaf);
        root = current;
        emit LeafInserted(leaf, index, current);
    }

    function depth() external view returns (uint256) {
        return _tree.depth();
    }
}

contract Structs {
    using BitMaps for BitMaps.BitMap;
    using Checkpoints for Checkpoints.Trace208;
    using DoubleEndedQueue for DoubleEndedQueue.Bytes32Deque;
    using EnumerableMap for EnumerableMap.UintToAddressMap;
    using EnumerableSet for EnumerableSet.UintSet;

    BitMaps.BitMap private _bits;
    Checkpoints.Trace208 private _trace;
    DoubleEndedQueue.Bytes32Deque private _queue;
    EnumerableMap.UintToAddressMap private _map;
    EnumerableSet.UintSet private _set;

    event Done(bool result);
    event Popped(bytes32 value);

    function setBit(uint256 index, bool value) external {
        _bits.setTo(index, value);
    }

    function bit(uint256 index) external view returns (bool) {
        return _bits.get(index);
    }

    function checkpoint(uint48 key, uint208 value) external {
        _trace.push(key, value);
    }

    function lowerLookup(uint48 key) external view returns (uint208) {
        return _trace.lowerLookup(key);
    }

    function upperLookup(uint48 key) external view returns (uint208) {
        return _trace.upperLookup(key);
    }

    function latest() external view returns (uint208) {
        return _trace.latest();
    }

    function checkpoints() external view returns (uint256) {
        return _trace.length();
    }

    function pushBack(bytes32 value) external {
        _queue.pushBack(value);
    }

    function pushFront(bytes32 value) external {
        _queue.pushFront(value);
    }

    function popBack() external {
        emit Popped(_queue.popBack());
    }

    function popFront() external {
        emit Popped(_queue.popFront());
    }

    function queued(uint256 index) external view returns (bytes32) {
        return _queue.at(index);
    }

    function queueLength() external view returns (uint256) {
        return _queue.length();
    }

    function put(uint256 key, address value) external {
        emit Done(_map.set(key, value));
    }

    function drop(uint256 key) external {
        emit Done(_map.remove(key));
    }

    function lookUp(uint256 key) external view returns (address) {
        return _map.get(key);
    }

    function keys() external view returns (uint256[] memory) {
        return _map.keys();
    }

    function add(uint256 value) external {
        emit Done(_set.add(value));
    }

    function remove(uint256 value) external {
        emit Done(_set.remove(value));
    }

    function values() external view returns (uint256[] memory) {
        return _set.values();
    }

    function member(uint256 index) external view returns (uint256) {
        return _set.at(index);
    }
}

contract Numbers {
    function mulDiv(uint256 a, uint256 b, uint256 c) external pure returns (uint256) {
        return Math.mulDiv(a, b, c);
    }

    function ceilDiv(uint256 a, uint256 b) external pure returns (uint256) {
        return Math.ceilDiv(a, b);
    }

    function sqrt(uint256 a) external pure returns (uint256) {
        return Math.sqrt(a);
    }

    function log2(uint256 a) external pure returns (uint256) {
        return Math.log2(a);
    }

    function log10(uint256 a) external pure returns (uint256) {
        return Math.log10(a);
    }

    function average(uint256 a, uint256 b) external pure returns (uint256) {
        return Math.average(a, b);
    }

    function add(uint256 a, uint256 b) external pure returns (uint256) {
        return a + b;
    }

    function sub(uint256 a, uint256 b) external pure returns (uint256) {
        return a - b;
    }

    function div(uint256 a, uint256 b) external pure returns (uint256) {
        return a / b;
    }

    function toUint8(uint256 a) external pure returns (uint8) {
        return SafeCast.toUint8(a);
    }

    function toUint128(uint256 a) external pure returns (uint128) {
        return SafeCast.toUint128(a);
    }

    function toInt256(uint256 a) external pure returns (int256) {
        return SafeCast.toInt256(a);
    }

    function toUint256(int256 a) external pure returns (uint256) {
        return SafeCast.toUint256(a);
    }

    function toText(uint256 a) external pure returns (string memory) {
        return Strings.toString(a);
    }

    function toHexText(uint256 a, uint256 length) external pure returns (string memory) {
        return Strings.toHexString(a, length);
    }

    function parse(string calldata text) external pure returns (uint256) {
        return Strings.parseUint(text);
    }

    function panic(uint256 code) external pure {
        Panic.panic(code);
    }

    function recover(bytes32 hash, bytes calldata signature) external pure returns (address) {
        return ECDSA.recover(hash, signature);
    }

    function verify(bytes32[] calldata proof, bytes32 root, bytes32 leaf) external pure returns (bool) {
        return MerkleProof.verify(proof, root, leaf);
    }
}
